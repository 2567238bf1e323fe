import json
import os
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.harness.reports import compare_reports
from openswerl.evaluate.harness.rows import read_lines

ROW = {
    "instance_id": "pytest-dev__pytest-1", "repo": "pytest-dev/pytest", "version": "7.0", "base_commit": "",
    "problem_statement": "", "patch": "", "test_patch": "", "FAIL_TO_PASS": ["a"], "PASS_TO_PASS": ["b", "c"],
}  # fmt: skip


def _report(name: str, resolved: bool, failed: list[str], passed: list[str]) -> dict[str, Any]:
    status = {"FAIL_TO_PASS": {"success": ["a"], "failure": []}, "PASS_TO_PASS": {"success": passed, "failure": failed}}
    return {"instance_id": name, "report": {"resolved": resolved, "tests_status": status}}


def test_verdicts_and_lists_are_compared(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        json.dumps(ROW) + "\n" + json.dumps(ROW | {"instance_id": "pytest-dev__pytest-2"})
    )
    reports = [
        _report("pytest-dev__pytest-1", True, [], ["c", "b"]),
        _report("pytest-dev__pytest-2", False, ["b"], []),
        _report("other", True, ["b"], []),
    ]
    (tmp_path / "reports.jsonl").write_text("".join(json.dumps(report) + "\n" for report in reports))
    assert compare_reports(tmp_path / "reports.jsonl", tmp_path / "rows.jsonl") == {
        "reports": 3, "agree": 2, "ids_differ": ["other"],
        "listed": 2, "lists_equal": 1, "ids_lists_differ": ["pytest-dev__pytest-2"],
    }  # fmt: skip


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
def test_published_reports_have_the_tests_of_the_data_set(tmp_path: Path) -> None:
    """Rows whose lists were made of these very reports prove nothing, so copies of the data set alone are taken."""
    folder = Path(os.environ["OPENSWERL_DATA"], "swebench")
    rows = read_lines(folder / "verified_instances.jsonl.gz")
    copies = [row for row in rows if row["tests_source"] == "dataset-copy"]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in copies))
    result = compare_reports(folder / "official_reports_openhands.jsonl.gz", tmp_path / "rows.jsonl")
    assert (result["reports"], result["agree"]) == (39, 39) and result["listed"] == result["lists_equal"] == 6
