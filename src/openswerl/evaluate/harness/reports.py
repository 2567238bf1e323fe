"""Official reports of other people's runs against a benchmark and against swebench's rule."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openswerl.evaluate.harness.rows import TESTS, Row, read_benchmark, read_lines, test_names


def compare_reports(reports: Path, rows: Path | str) -> dict[str, Any]:
    """Compare official reports with a benchmark: {reports, agree, ids_differ, listed, lists_equal, ids_lists_differ}.

    A report {"instance_id", "report": {"resolved", "tests_status"}} agrees if swebench's rule makes its verdict of its
    lists. `listed` counts those whose instance the benchmark has, `lists_equal` those with its very tests.
    """
    known = {row["instance_id"]: row for row in read_benchmark(rows).good}
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
    return all({*found[key]["success"], *found[key]["failure"]} == set(test_names(row[key])) for key in TESTS)


def _resolved(report: Mapping[str, Any]) -> bool:
    from swebench.harness.constants import ResolvedStatus
    from swebench.harness.grading import get_resolution_status

    return bool(get_resolution_status(report["tests_status"]) == ResolvedStatus.FULL.value)
