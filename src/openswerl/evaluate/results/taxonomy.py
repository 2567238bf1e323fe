"""Why an answer did not resolve its instance: each answer has exactly one cause."""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from openswerl.evaluate.harness.guard import Reason
from openswerl.rollout import FAULTS

RESOLVED = "resolved"
CAUSES = {
    "env_invalid": "the environment fails the gate",
    "infrastructure": "the machine or the image failed",
    "unanswered": "no answer came",
    RESOLVED: "resolved",
    "not_localised": "no localisation sample names every file of the oracle",
    "too_long": "no prompt fits the context",
    "bad_format": "bad format",
    "empty": "empty patch",
    "refused": "touches tests or their runner, or forges their output",
    "not_applied": "does not apply",
    "timeout": "time-out",
    "stopped": "stopped by a limit on output or processes, or took the sandbox down",
    "no_results": "the tests gave no results",
    "breaks_tests": "breaks tests that passed",
    "not_fixed": "the tests of the issue still fail",
}
"""All causes and what they mean, in order of priority: the first one that holds is the cause."""

NOT_JUDGED = ("env_invalid", "infrastructure", "unanswered")
"""Causes that say nothing about the policy: such answers are in no rate, and are counted apart."""

_STATUSES = {"format_error": "bad_format", "empty_patch": "empty", "apply_failed": "not_applied", "timeout": "timeout"}
_REFUSALS = {*get_args(Reason), "forged_marker", "forged_status"}


class Failed(NamedTuple):
    """How many FAIL_TO_PASS and PASS_TO_PASS tests do not pass, by the official report."""

    fail_to_pass: int
    pass_to_pass: int


def failed(report: Mapping[str, Any] | None) -> Failed | None:
    """Return the counts of an official report {instance_id: {...}}; None where it holds no test."""
    own = next(iter(report.values())) if report else {}
    if "tests_status" not in own:
        return None
    return Failed(*(len(own["tests_status"][name]["failure"]) for name in ("FAIL_TO_PASS", "PASS_TO_PASS")))


def not_judged(status: str, reason: str | None) -> str | None:
    """Return the cause of NOT_JUDGED that the status stands for, None if the answer was judged."""
    if "infrastructure" in (status, reason):
        return "infrastructure"
    if status == "error" and reason in FAULTS:
        return "unanswered"
    return "env_invalid" if status == "env_invalid" else None


def cause(status: str, reason: str | None, tests: Failed | None, localised: bool | None) -> str:
    """Return the key of CAUSES.

    `tests` is None where no test was graded. `localised` is None where localisation was no part of the answer (oracle
    files, or a fix that only adds files). Raises ValueError for a status that has no cause.
    """
    if told := not_judged(status, reason):
        return told
    if status == RESOLVED:
        return RESOLVED
    found = _of_patch(status, reason, tests)
    return "not_localised" if localised is False or reason == "not_localised" else found


def _of_patch(status: str, reason: str | None, tests: Failed | None) -> str:
    if reason == "prompt_too_long":
        return "too_long"
    if status in _STATUSES:
        return _STATUSES[status]
    if status == "error":
        return "stopped"
    if status != "unresolved":
        raise ValueError(f"status {status} has no cause of failure")
    if reason in _REFUSALS:
        return "refused"
    if tests is None:
        return "no_results"
    return "breaks_tests" if tests.pass_to_pass else "not_fixed"
