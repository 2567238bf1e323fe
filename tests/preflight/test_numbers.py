"""Statistics against values worked out by hand."""

import pytest

from openswerl.preflight.numbers import interval, numbers
from preflight.conftest import sample_of

SAMPLES = [
    sample_of(1.0, name="a"),
    sample_of(0.5, name="a"),
    sample_of(-1.0, "missing_tag", "b"),
    sample_of(-1.0, "no_blocks", "b"),
    sample_of(0.2, name="c"),
    sample_of(None, "unfinished", "c", finish="length"),
    sample_of(None, "rate_limit", "d", finish="rate_limit"),
    sample_of(None, "timeout", "d"),
]


def test_what_did_not_come_is_in_no_mean():
    found = numbers(SAMPLES, 0.25, -1.0, 0.95)
    # 1, 0.5, -1, -1, 0.2, and -1 for the unfinished one
    assert found["reward_mean"] == pytest.approx(-1.3 / 6)
    assert (found["samples"], found["answered"], found["scored"]) == (8, 7, 6)
    assert (found["malformed"]["k"], found["malformed"]["n"]) == (2, 7)
    assert (found["unfinished"]["k"], found["unanswered"]["k"], found["unanswered"]["n"]) == (1, 2, 8)
    assert found["too_long"] == 0.25
    assert found["reasons"] == {"missing_tag": 1, "no_blocks": 1, "rate_limit": 1, "timeout": 1, "unfinished": 1}


def test_a_group_whose_samples_all_earn_the_same_has_no_signal():
    # a: 1, 0.5; b: -1, -1; c: 0.2, -1; d has no two rewards
    found = numbers(SAMPLES, 0.0, -1.0, 0.95)["zero_variance"]
    assert (found["k"], found["n"]) == (1, 3)


def test_the_interval_is_students_over_instances():
    # means 0 and 2: deviation sqrt 2, standard error 1, t(0.975, 1) = 12.706
    low, high = interval([0.0, 2.0], 0.95)
    assert (low, high) == (pytest.approx(1 - 12.7062, abs=1e-3), pytest.approx(1 + 12.7062, abs=1e-3))
    assert interval([1.0], 0.95) is None


def test_nothing_at_all_is_no_number():
    found = numbers([sample_of(None, "rate_limit", finish="rate_limit")], 0.0, -1.0, 0.95)
    assert found["reward_mean"] is None and found["malformed"]["share"] is None
    assert found["reward_interval"] is None and found["unanswered"]["share"] == 1.0
