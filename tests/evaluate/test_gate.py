import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.backends.replay import ReplayBackend
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.gate import _some, check_gate, gate, gate_candidate
from openswerl.files import write_jsonl

IDS = ("acme__calc-1", "acme__words-2", "acme__calc-3")


def _inputs(folder: Path, gold: dict[str, str], none: dict[str, str], ids: Sequence[str] = IDS) -> dict[str, Path]:
    """The folders of the gate's two policies; `gold` and `none` are the reasons of the instances that fail."""
    for name, reasons in (("gold", gold), ("none", none)):
        rows = [{"instance_id": key, "reason": reasons.get(key)} for key in ids]
        write_jsonl(folder / name / "gate.jsonl", rows)
    return {f"evaluate-{name}-seed0": folder / name for name in ("gold", "none")}


def test_a_right_gate_is_silent(world: Any, tmp_path: Path) -> None:
    assert check_gate(_inputs(tmp_path, {}, {}), world.problems(), 0.0) == set()


def test_a_few_invalid_instances_are_told_and_many_stop_the_evaluation(world: Any, tmp_path: Path) -> None:
    inputs = _inputs(tmp_path, {IDS[1]: "gold_error"}, {})
    assert check_gate(inputs, world.problems(), 0.34) == {IDS[1]}
    with pytest.raises(UserError, match=r"policy=gold: acme__words-2 \(gold_error\)"):
        check_gate(inputs, world.problems(), 0.33)


def test_if_all_are_invalid_no_share_is_enough(world: Any, tmp_path: Path) -> None:
    inputs = _inputs(tmp_path, dict.fromkeys(IDS[:2], "gold_error"), {IDS[2]: "base_fails_p2p"})
    with pytest.raises(UserError, match=r"no model is evaluated: policy=gold: .*; policy=none: acme__calc-3"):
        check_gate(inputs, world.problems(), 1.0)


def test_an_instance_that_the_gate_did_not_run_is_named(world: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="policy=gold did not run acme__calc-3"):
        check_gate(_inputs(tmp_path, {}, {}, IDS[:2]), world.problems(), 0.0)


def test_a_long_list_is_shortened() -> None:
    told = _some({f"i{number}": "gold_error" for number in range(9)})
    assert told.endswith(r"i4 (gold_error) and 4 more") and told.count("gold_error") == 5


def test_the_gates_patches(world: Any) -> None:
    problem = world.problems()[0]
    assert gate_candidate(problem, "gold").patch == problem.gold.patch and gate_candidate(problem, "none").patch == ""


def _gate(world: Any, folder: Path, repeats: int = 1) -> dict[str, dict[str, Any]]:
    """Run the gate in the laptop's sandbox."""
    with closing(Cached(LaptopBackend(world.sources(), "bubblewrap", 10), Store(folder))) as backend:
        return {row["instance_id"]: row for row in gate(world.problems(), backend, repeats)}


@pytest.mark.slow
def test_right_instances_are_valid_in_every_run(world: Any, tmp_path: Path) -> None:
    rows = _gate(world, tmp_path, repeats=2)
    assert [(row["valid"], row["reason"]) for row in rows.values()] == [(True, None)] * 3
    runs = rows["acme__calc-1"]["runs"]
    assert [(run["policy"], run["attempt"], run["status"], run["passed"]) for run in runs] == [
        ("gold", 0, "resolved", (1, 1)), ("gold", 1, "resolved", (1, 1)),
        ("none", 0, "unresolved", (0, 1)), ("none", 1, "unresolved", (0, 1)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"FAIL_TO_PASS": '["tests/test_core.py::test_name"]', "PASS_TO_PASS": "[]"}, "base_passes_f2p"),
        ({"FAIL_TO_PASS": '["tests/test_core.py::absent"]'}, "gold_unresolved"),
        ({"PASS_TO_PASS": '["tests/test_core.py::test_add", "tests/test_core.py::test_name"]'}, "base_fails_p2p"),
        ({"patch": ""}, "gold_unresolved"),
        ({"patch": "no patch"}, "gold_apply_failed"),
    ],
)
def test_what_is_wrong_with_an_instance_is_named(
    own_world: Any, tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    own_world.rows = [{**own_world.rows[0], **change}, *own_world.rows[1:]]
    own_world.write()
    rows = _gate(own_world, tmp_path)
    assert rows["acme__calc-1"]["reason"] == reason and not rows["acme__calc-1"]["valid"]
    assert rows["acme__words-2"]["valid"]


def _log(*lines: str) -> str:
    tests = "\n".join(["=== short test summary info ===", *lines, "=== 1 failed, 1 passed in 0.1s ==="])
    return f"+ : '>>>>> Start Test Output'\n{tests}\n+ : '>>>>> End Test Output'\n"


ADD, NAME = "tests/test_core.py::test_add", "tests/test_core.py::test_name"
GOLD, BASE = _log(f"PASSED {ADD}", f"PASSED {NAME}"), _log(f"FAILED {ADD}", f"PASSED {NAME}")
LATE = "\n\nTimeout error: 9 seconds exceeded."


@pytest.mark.parametrize(
    ("gold", "base", "reason"),
    [
        ([GOLD, GOLD], [BASE, BASE], None),
        ([GOLD, BASE], [BASE, BASE], "flaky"),
        ([GOLD, GOLD], [BASE, GOLD], "flaky"),
        ([GOLD, GOLD], [LATE, BASE], None),
        ([LATE, LATE], [BASE, BASE], "gold_timeout"),
        ([GOLD, GOLD], ["no image", "no image"], "infrastructure"),
        (["no image", GOLD], [BASE, BASE], "flaky"),
        ([GOLD, GOLD], [_log(), _log()], "base_fails_p2p"),
    ],
)
def test_recorded_runs_decide(world: Any, tmp_path: Path, gold: list[str], base: list[str], reason: str | None) -> None:
    logs: dict[bool, Iterator[str]] = {True: iter(gold), False: iter(base)}
    with closing(Cached(ReplayBackend(lambda _, patch: next(logs[bool(patch)])), Store(tmp_path))) as backend:
        (row,) = gate(world.problems()[:1], backend, 2)
    assert (row["valid"], row["reason"]) == (reason is None, reason) and len(row["runs"]) == 4
    assert json.loads(json.dumps(row))["runs"][0]["policy"] == "gold"
