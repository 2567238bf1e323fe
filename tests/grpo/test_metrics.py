"""What people watch, worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.grpo.metrics import BINS, reward_metrics, rollout_metrics
from openswerl.grpo.rollouts import Rollout


def row(reward, reason=None, tokens=10, events=()):
    return Rollout(0, "o__r-1", 0, reward, reason, {}, list(events), tokens, "")


ROWS = [
    row(1.0, tokens=20),
    row(0.5, events=["crlf", "crlf"]),
    row(-1.0, "missing_tag", events=["crlf"]),
    row(-1.0, "unfinished", tokens=40),
    row(None, "timeout"),
]


def test_rates_are_over_all_samples_and_rewards_over_those_that_have_one():
    metrics = rollout_metrics(ROWS)
    assert metrics["reward_mean"] == pytest.approx((1 + 0.5 - 1 - 1) / 4)
    assert metrics["reward_std"] == pytest.approx(math.sqrt(3.25 / 4 - 0.125**2))
    assert (metrics["format_rate"], metrics["exact_rate"], metrics["unfinished_rate"]) == (0.6, 0.2, 0.2)
    assert (metrics["timeout_rate"], metrics["unscorable_rate"], metrics["masked_rate"]) == (0.2, 0, 0.2)
    assert (metrics["response_tokens"], metrics["response_tokens_max"]) == (18, 40)


def test_what_could_not_be_scored_is_not_malformed():
    """Of ten answers one lacks a tag, one is cut off and masked, two ran out of time and three lost their sandbox."""
    late = [row(-1.0, "timeout"), row(None, "timeout")]
    lost = [row(None, reason) for reason in ("worker_died", "runner_lost", "tests_do_not_tell")]
    metrics = rollout_metrics([*[row(1.0)] * 3, row(-1.0, "missing_tag"), row(None, "unfinished"), *late, *lost])
    assert (metrics["format_rate"], metrics["unfinished_rate"]) == (0.8, 0.1)
    assert (metrics["timeout_rate"], metrics["unscorable_rate"], metrics["masked_rate"]) == (0.2, 0.3, 0.5)
    assert metrics["exact_rate"] == 0.3


def test_what_was_not_answered_has_no_part_in_the_rates_of_the_policy():
    """Of four samples one was refused and one came too late; of the two answers one lacks a tag."""
    faults = [row(None, "rate_limit", tokens=0), row(None, "too_slow", tokens=0)]
    metrics = rollout_metrics([row(1.0), *faults, row(-1.0, "missing_tag", tokens=20)])
    assert (metrics["unanswered_rate"], metrics["masked_rate"], metrics["unscorable_rate"]) == (0.5, 0.5, 0)
    assert (metrics["format_rate"], metrics["exact_rate"], metrics["response_tokens"]) == (0.5, 0.5, 15)
    assert metrics["reasons"] == {"missing_tag": 1, "rate_limit": 1, "too_slow": 1}
    nothing = rollout_metrics(faults)
    assert nothing["unanswered_rate"] == 1 and math.isnan(nothing["format_rate"])


def test_reasons_and_events_are_counted():
    metrics = rollout_metrics(ROWS)
    assert metrics["reasons"] == {"missing_tag": 1, "timeout": 1, "unfinished": 1}
    assert metrics["events"] == {"crlf": 3}


def test_spread():
    metrics = rollout_metrics(ROWS)
    assert metrics["reward_quantiles"] == {"p0": -1, "p25": -1, "p50": -0.25, "p75": 0.625, "p100": 1}
    # twenty bins of 0.1 from -1; 0.5 begins the sixteenth, and 1 belongs to the last
    counts = metrics["reward_histogram"]["counts"]
    assert (counts[0], counts[15], counts[19], sum(counts)) == (2, 1, 1, 4)


def test_without_a_reward_there_is_no_number():
    metrics = rollout_metrics([row(None, "timeout")])
    assert math.isnan(metrics["reward_mean"]) and math.isnan(metrics["reward_std"])
    assert sum(metrics["reward_histogram"]["counts"]) == 0


@given(st.lists(st.floats(-3, 3), min_size=1))
def test_no_reward_is_lost_from_the_histogram(rewards):
    counts = reward_metrics(rewards)["reward_histogram"]["counts"]
    assert len(counts) == BINS and sum(counts) == len(rewards)
