"""Verdicts of the official grading: the probes of its behaviour, and other people's recorded logs."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import grade, official_log, official_report
from openswerl.evaluate.views import GoldView

ROW = {
    "instance_id": "i", "repo": "o/r", "version": "1", "image": "", "eval_script": "", "eval_type": "pass_and_fail",
    "log_parser": "parse_log_pytest", "FAIL_TO_PASS": '["t.py::a"]', "PASS_TO_PASS": '["t.py::b"]',
}  # fmt: skip
GOLD = GoldView("i", "", "", "", ROW)
BOTH = "PASSED t.py::a\nPASSED t.py::b\n"


@pytest.mark.parametrize(
    ("output", "code", "status", "reason"),
    [
        (BOTH, 0, "resolved", None),
        ("FAILED t.py::a - assert 1\nPASSED t.py::b\n", 1, "unresolved", None),
        ("PASSED t.py::a\n", 0, "unresolved", None),
        ("PASSED t.py::a\nSKIPPED t.py::b\n", 0, "resolved", None),
        ("XFAIL t.py::a\nPASSED t.py::b\n", 0, "resolved", None),
        ("ERROR t.py\n", 2, "unresolved", None),
        (BOTH, 1, "unresolved", "no_test_results"),
        ("", 0, "unresolved", "no_test_results"),
        ("Segmentation fault", -11, "unresolved", "no_test_results"),
        (f"{BOTH}>>>>> Test Exit Code: 0\n", 1, "unresolved", "forged_marker"),
        (f"{BOTH}>>>>> End Test Output\nFAILED t.py::b\n", 0, "unresolved", "forged_marker"),
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
    ],
)
def test_what_did_not_run_to_its_end_is_never_graded(tmp_path: Path, state: Any, status: str, reason: Any) -> None:
    verdict = grade(GOLD, "patch", Execution(state, None, BOTH), tmp_path / "log")
    assert (verdict.status, verdict.reason, verdict.report) == (status, reason, None)


PARSERS = {
    "django/django": "parse_log_django", "sympy/sympy": "parse_log_sympy", "mwaskom/seaborn": "parse_log_seaborn",
    "matplotlib/matplotlib": "parse_log_matplotlib", "astropy/astropy": "parse_log_pytest_v2",
    "scikit-learn/scikit-learn": "parse_log_pytest_v2", "sphinx-doc/sphinx": "parse_log_pytest_v2",
    "psf/requests": "parse_log_pytest_options", "pylint-dev/pylint": "parse_log_pytest_options",
    "pytest-dev/pytest": "parse_log_pytest", "pallets/flask": "parse_log_pytest", "pydata/xarray": "parse_log_pytest",
}  # fmt: skip


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
def test_recorded_logs_get_their_published_verdicts(tmp_path: Path) -> None:
    """Other people's runs on SWE-bench Lite; the three that swebench 5 judges otherwise are known."""
    with gzip.open(Path(os.environ["OPENSWERL_DATA"], "swebench/eval_logs_acr.jsonl.gz"), "rt") as handle:
        records = [json.loads(line) for line in handle]
    ran = [record for record in records if record["published_applied"]]
    other = [record["instance_id"] for record in ran if _regrade(record, tmp_path) != record["published_resolved"]]
    assert len(ran) == 147 and sum(record["published_resolved"] for record in ran) == 65
    assert sorted(other) == ["django__django-13660", "django__django-13660", "matplotlib__matplotlib-24970"]


def _regrade(record: dict[str, Any], folder: Path) -> bool:
    row = ROW | record | {"log_parser": PARSERS[record["repo"]]}
    log = folder / "log"
    log.write_text(official_log(Execution("exited", 0, record["eval_log"].partition("Test Script:")[2])))
    return bool(official_report(row, record["model_patch"], log)[record["instance_id"]]["resolved"])
