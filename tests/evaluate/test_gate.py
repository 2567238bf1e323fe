from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.gate import check_gate, gate_candidate, invalid
from openswerl.files import write_jsonl


def _inputs(folder: Path, gold: dict[str, str], none: dict[str, str]) -> dict[str, Path]:
    for name, statuses in (("gold", gold), ("none", none)):
        rows = [{"instance_id": key, "status": status} for key, status in statuses.items()]
        write_jsonl(folder / name / "outcomes.jsonl", rows)
    return {f"evaluate-{name}-seed0": folder / name for name in ("gold", "none")}


IDS = ("acme__calc-1", "acme__words-2", "acme__calc-3")


def test_a_right_gate_is_silent(world: Any, tmp_path: Path) -> None:
    inputs = _inputs(tmp_path, dict.fromkeys(IDS, "resolved"), {**dict.fromkeys(IDS, "unresolved"), IDS[0]: "timeout"})
    check_gate(inputs, world.problems())


@pytest.mark.parametrize("status", ["unresolved", "timeout", "error", "apply_failed"])
def test_gold_must_resolve(world: Any, tmp_path: Path, status: str) -> None:
    inputs = _inputs(tmp_path, dict.fromkeys(IDS, status), dict.fromkeys(IDS, "unresolved"))
    with pytest.raises(UserError, match=rf"policy=gold is not resolved on acme__calc-1 \({status}\), acme__words-2"):
        check_gate(inputs, world.problems())


@pytest.mark.parametrize("status", ["resolved", "error", "apply_failed"])
def test_no_patch_must_fail_and_really_run(world: Any, tmp_path: Path, status: str) -> None:
    inputs = _inputs(tmp_path, dict.fromkeys(IDS, "resolved"), {**dict.fromkeys(IDS, "unresolved"), IDS[1]: status})
    with pytest.raises(UserError, match=rf"policy=none is not unresolved on acme__words-2 \({status}\)"):
        check_gate(inputs, world.problems())


def test_an_instance_that_the_gate_did_not_run_is_named(world: Any, tmp_path: Path) -> None:
    inputs = _inputs(tmp_path, dict.fromkeys(IDS[:2], "resolved"), dict.fromkeys(IDS, "unresolved"))
    with pytest.raises(UserError, match="policy=gold did not run acme__calc-3"):
        check_gate(inputs, world.problems())


def test_a_long_list_is_shortened(world: Any, tmp_path: Path) -> None:
    many = {f"i{number}": "error" for number in range(9)}
    inputs = _inputs(tmp_path, dict.fromkeys(IDS, "resolved") | many, dict.fromkeys(IDS, "unresolved"))
    with pytest.raises(UserError, match=r"i4 \(error\) and 4 more; repair or remove"):
        check_gate(inputs, world.problems())


def test_the_gates_own_runs_mark_invalid_instances(world: Any) -> None:
    rows = [{"instance_id": "a", "status": "resolved"}, {"instance_id": "b", "status": "unresolved"}]
    assert invalid(rows, "gold") == ["b"] and invalid(rows, "none") == ["a"]
    problem = world.problems()[0]
    assert gate_candidate(problem, "gold").patch == problem.gold.patch and gate_candidate(problem, "none").patch == ""
