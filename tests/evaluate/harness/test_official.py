import json
from pathlib import Path
from typing import Any

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import Verdict, grade, refusal
from openswerl.evaluate.harness.official import OfficialRun


def _run(folder: Path, world: Any, patches: list[str]) -> OfficialRun:
    return OfficialRun(folder / "swebench", "a/model", [problem.gold for problem in world.problems()], patches)


def test_the_final_report_of_the_harness_counts_every_fate_apart(world: Any, tmp_path: Path) -> None:
    golds = [problem.gold for problem in world.problems()]
    run = _run(tmp_path, world, ["p0", "p1", ""])
    passed = Execution("exited", 0, "PASSED tests/test_core.py::test_name\nPASSED tests/test_core.py::test_add\n")
    verdict = grade(golds[0], "p0", passed, run.log(golds[0].instance_id))
    run.record(golds[0].instance_id, "p0", passed, verdict)
    run.record(golds[1].instance_id, "p1", Execution("timeout"), Verdict("timeout"))
    report = run.finish(tmp_path / "predictions.jsonl")
    assert report["resolved_ids"] == ["acme__calc-1"] and report["error_ids"] == ["acme__words-2"]
    assert report["empty_patch_ids"] == ["acme__calc-3"] and report["schema_version"] == 2
    assert json.loads((tmp_path / "swebench" / f"a__model.{run.run_id}.json").read_text()) == report
    lines = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text().splitlines()]
    assert lines[0] == {"instance_id": "acme__calc-1", "model_name_or_path": "a/model", "model_patch": "p0"}
    assert not (Path.cwd() / "logs").exists()


def test_a_refused_patch_is_unresolved_and_not_an_error(world: Any, tmp_path: Path) -> None:
    run = _run(tmp_path, world, ["p0", "", ""])
    run.record("acme__calc-1", "p0", None, Verdict("unresolved", "x", refusal("acme__calc-1", "x")))
    report = run.finish(tmp_path / "predictions.jsonl")
    assert report["unresolved_ids"] == ["acme__calc-1"] and not report["error_ids"]


def test_verdicts_of_other_patches_are_never_found(world: Any, own_world: Any, tmp_path: Path) -> None:
    first = _run(tmp_path, world, ["p0", "", ""])
    first.record("acme__calc-1", "p0", None, Verdict("resolved", None, {"acme__calc-1": {"resolved": True}}))
    assert first.finish(tmp_path / "p")["resolved_instances"] == 1
    own_world.rows[0]["version"] = "2"
    own_world.write()
    others = [_run(tmp_path, world, ["q0", "", ""]), _run(tmp_path, own_world, ["p0", "", ""])]
    assert len({first.run_id, *(other.run_id for other in others)}) == 3
    assert _run(tmp_path, world, ["p0", "", ""]).finish(tmp_path / "p")["resolved_instances"] == 0
