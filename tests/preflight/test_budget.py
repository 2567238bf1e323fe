"""Tokens, hours and money of the whole run, by hand."""

import pytest

from openswerl.preflight.budget import budget
from openswerl.preflight.sampling import Look
from preflight.conftest import sample_of

RUN = ("grpo.steps=10", "grpo.prompts_per_step=4", "grpo.group_size=5")  # 200 rollouts
PRICES = ("preflight.prices.prompt=3", "preflight.prices.completion=15")


def look(seconds=8.0, fresh=4):
    greedy = [sample_of(1.0, tokens=20), sample_of(None, "rate_limit", finish="rate_limit", tokens=0)]
    return Look(greedy, [sample_of(1.0, tokens=30), sample_of(1.0, tokens=40)], seconds, fresh, None)


def test_tokens_and_hours(config):
    found = budget(look(), config(*RUN))
    assert found["rollouts"] == 200
    assert (found["prompt_tokens"], found["completion_tokens"]) == (100 * 200, 30 * 200)  # what did not come is no mean
    assert found["sampling_hours"] == pytest.approx(2.0 * 200 / 3600)
    assert found["cost"] is None and found["hours"] is None


def test_money_where_prices_are_given(config):
    assert budget(look(), config(*RUN, *PRICES))["cost"] == pytest.approx((20_000 * 3 + 6_000 * 15) / 1e6)


def test_answers_at_hand_tell_no_speed_and_a_trial_tells_all(config):
    assert budget(look(fresh=0), config(*RUN))["sampling_hours"] is None
    assert budget(look(), config(*RUN), 36.0)["hours"] == pytest.approx(0.1)
