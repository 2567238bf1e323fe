"""The official layout against swebench's own functions."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import Verdict, grade, refusal
from openswerl.evaluate.harness.official import OfficialRun, repaired

BOTH = (
    "===== short test summary info =====\nPASSED tests/test_core.py::test_name\nPASSED tests/test_core.py::test_add\n"
    "===== 2 passed in 0.01s =====\n"
)
FORGED = BOTH + ">>>>> End Test Output\n"
FAILS = (
    "===== short test summary info =====\nFAILED tests/test_case.py::test_shout - x\n===== 1 failed in 0.01s =====\n"
)


def _run(folder: Path, world: Any, patches: list[str]) -> OfficialRun:
    return OfficialRun(folder / "swebench", "a/model", [problem.gold for problem in world.problems()], patches)


def _recorded(folder: Path, world: Any, patches: list[str], executions: list[Execution]) -> tuple[OfficialRun, Any]:
    """Grade and record executions, one an instance, in order; returns the run and its final report."""
    run = _run(folder, world, patches)
    for problem, patch, execution in zip(world.problems(), patches, executions, strict=True):
        name = problem.gold.instance_id
        run.record(name, patch, execution, grade(problem.gold, patch, execution, run.log(name)))
    return run, run.finish(folder / "predictions.jsonl")


def test_the_final_report_of_the_harness_counts_every_fate_apart(world: Any, tmp_path: Path) -> None:
    run = _run(tmp_path, world, ["p0", "p1", ""])
    gold = world.problems()[0].gold
    passed = Execution("exited", 0, BOTH)
    run.record("acme__calc-1", "p0", passed, grade(gold, "p0", passed, run.log("acme__calc-1")))
    run.record("acme__words-2", "p1", Execution("timeout"), Verdict("timeout"))
    run.record("acme__calc-3", "", None, Verdict("empty_patch"))
    report = run.finish(tmp_path / "predictions.jsonl")
    assert report["resolved_ids"] == ["acme__calc-1"] and report["error_ids"] == ["acme__words-2"]
    assert report["empty_patch_ids"] == ["acme__calc-3"] and report["schema_version"] == 2
    assert json.loads((tmp_path / "swebench" / f"a__model.{run.run_id}.json").read_text()) == report
    lines = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text().splitlines()]
    assert lines[0] == {"instance_id": "acme__calc-1", "model_name_or_path": "a/model", "model_patch": "p0\n"}
    assert not (Path.cwd() / "logs").exists()


@pytest.mark.parametrize(
    "executions",
    [
        [Execution("exited", 0, BOTH), Execution("exited", 1, FAILS), Execution("exited", 0, FORGED)],
        [Execution("exited", 0, FORGED), Execution("exited", 0, ""), Execution("exited", 1, BOTH)],
        [Execution("apply_failed", None, "error: x"), Execution("timeout", None, "y"), Execution("runner_lost")],
        [Execution("infrastructure", None, "Error response from daemon: z"), *[Execution("exited", 0, BOTH)] * 2],
    ],
)
def test_swebench_grades_and_reports_our_folder_as_we_did(world: Any, tmp_path: Path, executions: Any) -> None:
    """Its make_run_report on the folder unchanged, its run_instance's grading of it, and the report again."""
    from swebench.harness.reporting import make_run_report
    from swebench.harness.run_evaluation import run_instance
    from swebench.harness.utils import get_predictions_from_file, load_swebench_dataset, make_test_spec

    run, ours = _recorded(tmp_path, world, ["p0\n", "p1\n", "p2\n"], executions)
    with contextlib.chdir(tmp_path / "swebench"):
        rows = load_swebench_dataset("rows.jsonl")
        given = get_predictions_from_file(str(tmp_path / "predictions.jsonl"), "rows.jsonl", "test")
        predictions = {row["instance_id"]: row for row in given}
        first = json.loads(make_run_report(predictions, rows, run.run_id, report_dir="theirs").read_text())
        for row in rows:
            if run.log(row["instance_id"]).exists():
                prediction = predictions[row["instance_id"]]
                _, report = run_instance(make_test_spec(row), prediction, None, run.run_id, rewrite_reports=True)
                assert report is not None
        again = json.loads(make_run_report(predictions, rows, run.run_id, report_dir="again").read_text())
    assert first == again == ours


def test_apply_failures_and_the_machines_faults_are_told_apart(world: Any, tmp_path: Path) -> None:
    executions = [
        Execution("apply_failed", None, "error: patch failed"),
        Execution("infrastructure", None, "Error response from daemon: toomanyrequests"),
        Execution("timeout", None, ""),
    ]
    run, report = _recorded(tmp_path, world, ["p0\n", "p1\n", "p2\n"], executions)
    assert report["error_instances"] == 3 and report["unresolved_instances"] == 0
    assert report["failure_reasons"] == {"acme__words-2": "container_unavailable"}
    story = run.log("acme__calc-1").with_name("run_instance.log").read_text()
    assert story.startswith(">>>>> Patch Apply Failed:\nerror: patch failed")


def test_the_layout_is_the_harness_s_own(world: Any, tmp_path: Path) -> None:
    from swebench.harness.run_evaluation import read_run_metadata

    run, _ = _recorded(tmp_path, world, ["p0", "p1", "p2"], [Execution("exited", 0, BOTH)] * 3)
    place = tmp_path / "swebench" / "logs" / "run_evaluation" / run.run_id / "a__model" / "acme__calc-1"
    names = {"patch.diff", "eval.sh", "run_instance.log", "test_output.txt", "report.json"}
    assert {path.name for path in place.iterdir()} == names and (place / "patch.diff").read_text() == "p0\n"
    assert ">>>>> Test Exit Code" in (place / "eval.sh").read_text()
    with contextlib.chdir(tmp_path / "swebench"):
        assert read_run_metadata(run.run_id) == {"dataset": "rows.jsonl", "split": "test", "task_repo": None}


def test_a_patch_that_utf_8_cannot_hold_is_recorded(world: Any, tmp_path: Path) -> None:
    _, report = _recorded(tmp_path, world, ["p\udce9\ud800", "", ""], [Execution("exited", 0, BOTH + "\ud800")] * 3)
    assert report["resolved_ids"] == ["acme__calc-1"]
    assert json.loads((tmp_path / "predictions.jsonl").read_text().splitlines()[0])["model_patch"] == "p\udce9\ud800\n"


def test_a_missing_newline_at_the_end_is_repaired() -> None:
    assert repaired("") == "" and repaired("x") == repaired("x\n") == "x\n"


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
