"""The call that TRL 1.16 makes: keywords alone, one list for each column, and some of its own."""

from functools import partial

import pytest

from openswerl.errors import UserError
from openswerl.reward.adapters.trl import row_of, similarity_reward
from repair_instances import GOLDEN, LARGE, LIMITED, MALFORMED, NEAR, SMALL, near_reward

OTHERS = {"completion_ids": [[1]], "trainer_state": None, "log_extra": print, "log_metric": print, "title": ["x"]}


def ask(instance, *completions, function=similarity_reward):
    """Call as the trainer does: every row's columns once for each completion."""
    row = row_of(instance, "Fix it.")
    columns = {key: [value] * len(completions) for key, value in row.items() if key != "prompt"}
    return function(prompts=["Fix it."] * len(completions), completions=list(completions), **columns, **OTHERS)


def test_one_reward_for_each_completion_in_their_order():
    assert ask(SMALL, GOLDEN, MALFORMED, NEAR) == [1.0, -1.0, near_reward()]


def test_messages_are_read_by_their_last_one():
    assert ask(SMALL, [{"role": "assistant", "content": GOLDEN}], [{"role": "assistant", "content": ""}]) == [1.0, -1.0]


def test_what_could_not_be_scored_is_none():
    limited = partial(similarity_reward, settings=LIMITED)
    assert ask(LARGE, GOLDEN, NEAR, MALFORMED, function=limited) == [1.0, None, -1.0]


def test_settings_are_those_of_score():
    assert ask(SMALL, NEAR, GOLDEN, function=partial(similarity_reward, settings={"kind": "discrete"})) == [0.0, 1.0]
    with pytest.raises(UserError, match=r"reward\.kind=nothing is not known"):
        ask(SMALL, GOLDEN, function=partial(similarity_reward, settings={"kind": "nothing"}))
