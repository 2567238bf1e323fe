"""One case for each word of the verdict, with the rule that decided."""

import pytest

from openswerl.preflight.checks import Check
from openswerl.preflight.numbers import numbers
from openswerl.preflight.verdict import judge, nearness
from preflight.conftest import sample_of

FINE = [Check("gold patch scores 1.0", True, "10 of 10")]


def verdict(rules, samples, too_long=0.0, checks=FINE, cause=None):
    return judge(numbers(samples, too_long, -1.0, 0.95), checks, rules, cause)


def some(*rewards, name="a", reason=None, finish="stop"):
    return [sample_of(reward, reason, name, i, finish) for i, reward in enumerate(rewards)]


def test_a_good_mean_is_ready(rules):
    found = verdict(rules, some(0.9, 0.3) + some(1.0, 0.2, name="b"))
    assert str(found) == "ready: the mean reward is 0.60, at least 0.4 (preflight.rules.ready_mean). Start grpo"
    assert found.ready


def test_a_mean_below_the_rule_is_not_ready(rules):
    found = verdict(rules, some(0.5, 0.2) + some(0.4, 0.3, name="b"))
    assert (found.word, found.ready) == ("reward too low", False)
    assert found.rule == "the mean reward is 0.35, below 0.4 (preflight.rules.ready_mean)"


def test_malformed_answers_come_before_the_mean(rules):
    samples = some(0.9) + some(-1.0, -1.0, name="b", reason="missing_tag")
    found = verdict(rules, samples, cause="a fence")
    assert str(found) == (
        "fix the format first: 2 of 3 answers are malformed, more than 50% (preflight.rules.max_malformed). "
        "Mostly: a fence"
    )


def test_equal_rewards_are_flat(rules):
    found = verdict(rules, some(0.9, 0.9) + some(1.0, 1.0, name="b") + some(0.5, 0.6, name="c"))
    assert found.word == "reward too flat"
    assert found.rule.startswith("2 of 3 groups earn one reward throughout, more than 50%")


def test_prompts_and_answers_that_do_not_fit(rules):
    assert verdict(rules, some(0.9, 0.8), too_long=0.2).rule == (
        "20% of the prompts do not fit, more than 10% (preflight.rules.max_too_long)"
    )
    cut = some(0.9, 0.8) + some(None, name="b", reason="unfinished", finish="length")
    found = verdict(rules, cut)
    assert (found.word, found.advice) == ("context too long", "Raise model.max_response_tokens")


def test_answers_that_did_not_come_and_failed_checks_come_first(rules):
    lost = some(0.9) + some(None, None, name="b", reason="rate_limit", finish="rate_limit")
    assert verdict(rules, lost).rule == (
        "2 of 3 samples did not come or could not be scored (2 rate_limit), more than 20% "
        "(preflight.rules.max_unanswered)"
    )
    broken = [*FINE, Check("tokenizers agree", False, "they differ"), Check("gold patch scores 1.0", False, "9 of 10")]
    found = verdict(rules, some(0.9, 0.8), checks=broken)
    assert (found.word, found.ready) == ("mend first", False)
    assert (found.rule, found.advice) == (
        "not so: tokenizers agree: they differ; gold patch scores 1.0: 9 of 10",
        "The samples alone would say: ready",
    )
    nothing = verdict(rules, some(None, None, reason="rate_limit", finish="rate_limit"))
    assert nothing.rule == "no sample was scored (2 rate_limit)"
    unknown = [*FINE, Check("tokenizers agree", None, "not told")]
    assert verdict(rules, some(0.9, 0.8), checks=unknown).ready


@pytest.mark.parametrize(
    ("reward", "reason", "word"),
    [
        (-1.0, "missing_tag", "malformed"),
        (0.1, None, "mostly wrong"),
        (0.3, None, "partly right"),
        (0.85, None, "partly right"),
        (0.86, None, "near match"),
        (None, "unfinished", "cut off"),
        (None, "rate_limit", "not answered, or not scored"),
    ],
)
def test_what_a_reward_means(rules, reward, reason, word):
    assert nearness(sample_of(reward, reason), rules) == word
