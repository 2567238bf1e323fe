"""Verdicts of the official grading: the probes of its behaviour."""

from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import MARKERS, grade, official_log, official_report
from openswerl.evaluate.views import GoldView

ROW = {
    "instance_id": "i", "repo": "o/r", "version": "1", "image": "", "eval_script": "", "eval_type": "pass_and_fail",
    "log_parser": "parse_log_pytest", "FAIL_TO_PASS": '["t.py::a"]', "PASS_TO_PASS": '["t.py::b"]',
}  # fmt: skip
GOLD = GoldView("i", "", "", "", ROW)
HEADER = "=========================== short test summary info ============================\n"


def _ended(*lines: str, last: str = "2 passed") -> str:
    """What pytest prints at its end."""
    return HEADER + "".join(f"{line}\n" for line in lines) + f"============================== {last} in 0.05s =====\n"


BOTH = _ended("PASSED t.py::a", "PASSED t.py::b")
FAILS = ("PASSED t.py::b", "FAILED t.py::a - assert 1", "FAILED t.py::other - assert 1")


@pytest.mark.parametrize(
    ("output", "code", "status", "reason"),
    [
        (BOTH, 0, "resolved", None),
        (_ended(*FAILS, last="2 failed, 1 passed"), 1, "unresolved", None),
        (_ended("PASSED t.py::a"), 0, "unresolved", None),
        (_ended("PASSED t.py::a", "SKIPPED t.py::b"), 0, "resolved", None),
        (_ended("XFAIL t.py::a", "PASSED t.py::b"), 0, "resolved", None),
        (_ended("PASSED t.py::a", "PASSED t.py::b", "FAILED t.py::c", last="1 failed, 2 passed"), 1, "resolved", None),
        ("ERROR t.py\n", 2, "unresolved", None),
        (BOTH, 1, "unresolved", "no_test_results"),
        ("", 0, "unresolved", "no_test_results"),
        ("Segmentation fault", -11, "unresolved", "no_test_results"),
        (f"print('>>>>>>> REPLACE')\n{BOTH}", 0, "resolved", None),
    ],
)
def test_what_the_tests_printed_decides(
    tmp_path: Path, output: str, code: int, status: str, reason: str | None
) -> None:
    verdict = grade(GOLD, "patch", Execution("exited", code, output), tmp_path / "log")
    assert (verdict.status, verdict.reason) == (status, reason)
    assert verdict.report is not None and verdict.report["i"]["resolved"] == (status == "resolved")


@pytest.mark.parametrize(
    ("state", "status", "reason"),
    [
        ("timeout", "timeout", None),
        ("apply_failed", "apply_failed", None),
        ("runner_lost", "error", "runner_lost"),
        ("output_limit", "error", "output_limit"),
        ("process_limit", "error", "process_limit"),
        ("infrastructure", "infrastructure", None),
    ],
)
def test_what_did_not_run_to_its_end_is_never_graded(tmp_path: Path, state: Any, status: str, reason: Any) -> None:
    verdict = grade(GOLD, "patch", Execution(state, None, BOTH), tmp_path / "log")
    assert (verdict.status, verdict.reason, verdict.report) == (status, reason, None)


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("where", ["{marker}: 0\n{both}", "{both}{marker}\n", "a {marker} b\n{both}"])
def test_a_printed_marker_never_resolves_and_swebench_agrees(tmp_path: Path, marker: str, where: str) -> None:
    log = tmp_path / "log"
    verdict = grade(GOLD, "patch", Execution("exited", 0, where.format(marker=marker, both=BOTH)), log)
    assert (verdict.status, verdict.reason) == ("unresolved", "forged_marker")
    assert not official_report(ROW, "patch", log)["i"]["resolved"]


def test_forged_lines_after_a_real_failure_resolve_officially_but_not_here(tmp_path: Path) -> None:
    """The probe that passes swebench's own cross-check of exit code and failures."""
    output = _ended(*FAILS, last="2 failed, 1 passed") + "PASSED t.py::a\n"
    log = tmp_path / "log"
    log.write_text(official_log(Execution("exited", 1, output)))
    assert official_report(ROW, "patch", log)["i"]["resolved"]
    verdict = grade(GOLD, "patch", Execution("exited", 1, output), log)
    assert (verdict.status, verdict.reason) == ("unresolved", "forged_status")
    assert not official_report(ROW, "patch", log)["i"]["resolved"], "the log that is left says the same to swebench"


def test_a_log_tells_the_exit_code_if_it_is_known() -> None:
    assert official_log(Execution("exited", 3, "x")).endswith("\n>>>>> Test Exit Code: 3\n")
    assert "Exit Code" not in official_log(Execution("exited", None, "x"))
