"""Official reports of other people's runs agree with swebench's rule, and with the benchmark's lists."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.harness import rows
from openswerl.evaluate.harness.rows import TESTS, Row, read_benchmark
from openswerl.raw_rows import read_lines

ROW = {
    "instance_id": "pytest-dev__pytest-1", "repo": "pytest-dev/pytest", "version": "7.0", "base_commit": "a" * 40,
    "problem_statement": "", "patch": "", "test_patch": "", "FAIL_TO_PASS": ["a"], "PASS_TO_PASS": ["b", "c"],
}  # fmt: skip


def compare_reports(reports: Path, benchmark: Path) -> dict[str, Any]:
    """Compare official reports with a benchmark: {reports, agree, ids_differ, listed, lists_equal, ids_lists_differ}.

    A report {"instance_id", "report": {"resolved", "tests_status"}} agrees if swebench's rule makes its verdict of its
    lists. `listed` counts those whose instance the benchmark has, `lists_equal` those with its very tests.
    """
    known = {row["instance_id"]: row for row in read_benchmark(benchmark).good}
    given = [record for record in read_lines(reports) if record is not None]
    listed = [record for record in given if record["instance_id"] in known]
    unlike = [record for record in listed if not _same_tests(record["report"], known[record["instance_id"]])]
    differ = [record for record in given if _resolved(record["report"]) != record["report"]["resolved"]]
    return {
        "reports": len(given),
        "agree": len(given) - len(differ),
        "ids_differ": sorted(record["instance_id"] for record in differ),
        "listed": len(listed),
        "lists_equal": len(listed) - len(unlike),
        "ids_lists_differ": sorted(record["instance_id"] for record in unlike),
    }


def _same_tests(report: Mapping[str, Any], row: Row) -> bool:
    found = report["tests_status"]
    return all({*found[key]["success"], *found[key]["failure"]} == set(rows.test_names(row[key])) for key in TESTS)


def _resolved(report: Mapping[str, Any]) -> bool:
    from swebench.harness.constants import ResolvedStatus
    from swebench.harness.grading import get_resolution_status

    return bool(get_resolution_status(report["tests_status"]) == ResolvedStatus.FULL.value)


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
