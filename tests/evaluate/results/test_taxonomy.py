import itertools
from typing import get_args

import pytest

from openswerl.evaluate.harness.grade import Status, refusal
from openswerl.evaluate.results.taxonomy import CAUSES, NOT_JUDGED, Failed, cause, failed, not_judged
from openswerl.rollout import FAULTS

BROKEN, STILL = Failed(1, 2), Failed(1, 0)


@pytest.mark.parametrize(
    ("status", "reason", "tests", "localised", "expected"),
    [
        ("env_invalid", None, None, False, "env_invalid"),
        ("error", "infrastructure", None, False, "infrastructure"),
        ("infrastructure", "image_missing", None, None, "infrastructure"),
        ("error", "rate_limit", None, False, "unanswered"),
        ("resolved", None, Failed(0, 0), False, "resolved"),
        ("unresolved", None, BROKEN, False, "not_localised"),
        ("format_error", "no_tags", None, False, "not_localised"),
        ("format_error", "no_tags", None, None, "bad_format"),
        ("format_error", "not_localised", None, None, "not_localised"),
        ("empty_patch", None, None, True, "empty"),
        ("format_error", "prompt_too_long", None, None, "too_long"),
        ("unresolved", "touches_tests", None, True, "refused"),
        ("unresolved", "forged_marker", None, True, "refused"),
        ("unresolved", "forged_status", None, True, "refused"),
        ("unresolved", "touches_startup", None, True, "refused"),
        ("apply_failed", None, None, True, "not_applied"),
        ("timeout", None, None, True, "timeout"),
        ("error", "output_limit", None, True, "stopped"),
        ("error", "runner_lost", None, None, "stopped"),
        ("unresolved", "no_test_results", None, True, "no_results"),
        ("unresolved", None, BROKEN, True, "breaks_tests"),
        ("unresolved", None, STILL, True, "not_fixed"),
    ],
)
def test_the_first_cause_that_holds_is_the_cause(
    status: str, reason: str | None, tests: Failed | None, localised: bool | None, expected: str
) -> None:
    assert cause(status, reason, tests, localised) == expected


def test_every_status_of_a_verdict_has_one_cause_and_it_is_listed() -> None:
    reasons = (None, "touches_tests", "infrastructure", "server_error")
    cases = itertools.product(get_args(Status), reasons, (None, BROKEN, STILL), (None, True, False))
    assert {cause(*case) for case in cases} <= set(CAUSES)


def test_what_is_not_judged_is_never_a_failure_of_the_policy() -> None:
    """No fault and no infrastructure error ends as a cause that counts in a rate, localised or not."""
    for reason in (*FAULTS, "infrastructure"):
        for localised in (None, True, False):
            assert cause("error", reason, None, localised) in NOT_JUDGED
    assert not_judged("error", "output_limit") is None, "the patch did that"
    assert not_judged("unresolved", "refused") is None, "the guard's refusal, not the server's"


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(ValueError, match="status lost has no cause"):
        cause("lost", None, None, None)


def test_failed_tests_are_counted_in_the_official_report() -> None:
    status = {
        "FAIL_TO_PASS": {"success": ["a"], "failure": ["b"]},
        "PASS_TO_PASS": {"success": [], "failure": ["c", "d"]},
        "FAIL_TO_FAIL": {"success": [], "failure": []},
        "PASS_TO_FAIL": {"success": [], "failure": []},
    }
    assert failed({"i": {"resolved": False, "tests_status": status}}) == Failed(1, 2)
    assert failed(refusal("i", "touches_tests")) is None and failed(None) is None
