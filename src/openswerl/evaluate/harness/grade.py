"""Verdicts, by the official SWE-bench grading of what the tests printed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.forgery import is_forged
from openswerl.evaluate.views import GoldView
from openswerl.files import write_text

Status = Literal[
    "resolved", "unresolved", "format_error", "empty_patch", "apply_failed", "timeout", "error", "infrastructure"
]
ENDINGS = ("Patch Apply Failed", "Reset Failed", "Tests Errored", "Tests Timed Out")
START, END, EXIT_CODE = ">>>>> Start Test Output", ">>>>> End Test Output", ">>>>> Test Exit Code"
MARKERS = (START, END, EXIT_CODE, *(f">>>>> {text}" for text in ENDINGS))


@dataclass(frozen=True)
class Verdict:
    """A status, its reason code if there is one, and the official report of a graded patch."""

    status: Status
    reason: str | None = None
    report: dict[str, Any] | None = None


def grade(gold: GoldView, patch: str, execution: Execution, log: Path) -> Verdict:
    """Write the log in the official form and grade it. Only tests that ran to their end are graded.

    A log that resolves the row by lines that the test runner did not write is refused (forged_marker, forged_status),
    and written so that the official grading refuses it as well.
    """
    if execution.state in ("apply_failed", "timeout", "infrastructure"):
        return Verdict(execution.state)
    if execution.state != "exited":
        return Verdict("error", execution.state)
    if any(marker in execution.output for marker in MARKERS):
        return _refused(gold, execution, log, "forged_marker")
    write_text(log, official_log(execution))
    report = official_report(gold.row, patch, log)
    own = report[gold.instance_id]
    if own["resolved"] and is_forged(execution.output, gold.row):
        return _refused(gold, execution, log, "forged_status")
    if own["resolved"]:
        return Verdict("resolved", None, report)
    return Verdict("unresolved", None if own["patch_successfully_applied"] else "no_test_results", report)


def _refused(gold: GoldView, execution: Execution, log: Path, reason: str) -> Verdict:
    write_text(log, f">>>>> Tests Errored: {reason}\n{official_log(execution)}")
    return Verdict("unresolved", reason, refusal(gold.instance_id, reason))


def official_log(execution: Execution) -> str:
    """Return the log as the row's eval_script would write it: markers, and the exit code, if known, after the end."""
    told = "" if execution.code is None else f"{EXIT_CODE}: {execution.code}\n"
    output = execution.output.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return f"+ : '{START}'\n{output}\n+ : '{END}'\n{told}"


def official_report(row: dict[str, Any], patch: str, log: Path) -> dict[str, Any]:
    """Return {instance_id: report} from swebench's make_test_spec and get_eval_report."""
    from swebench.harness.grading import get_eval_report  # takes two seconds: it imports docker and datasets
    from swebench.harness.utils import make_test_spec

    prediction = {"instance_id": row["instance_id"], "model_name_or_path": "openswerl", "model_patch": patch}
    return get_eval_report(make_test_spec(row), prediction, str(log), include_tests_status=True)


def refusal(instance_id: str, reason: str) -> dict[str, Any]:
    """Return a report in the official form for a patch that is refused without grading; the reason is our own key."""
    flags = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": False, "resolved": False}
    return {instance_id: {**flags, "infra_failure": False, "refused": reason}}
