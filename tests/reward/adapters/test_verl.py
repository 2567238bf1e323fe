"""The call that verl 0.9 makes: four keywords, and those of reward_kwargs."""

import json

import pytest

from openswerl.errors import UserError
from openswerl.reward.adapters.verl import compute_score, row_of
from repair_instances import GOLDEN, LARGE, LIMITED, MALFORMED, NEAR, SMALL

PROMPT = [{"role": "user", "content": "Fix it."}]


def ask(instance, answer, **reward_kwargs):
    """Call as verl's naive manager does, from a row that has been through JSON."""
    row = json.loads(json.dumps(row_of(instance, PROMPT)))
    extra = row["extra_info"] | {"num_turns": None, "rollout_reward_scores": {}}
    truth = row["reward_model"]["ground_truth"]
    return compute_score(
        data_source=row["data_source"], solution_str=answer, ground_truth=truth, extra_info=extra, **reward_kwargs
    )


def test_the_score_is_a_number_and_its_reason_a_text():
    assert ask(SMALL, GOLDEN) == {"score": 1.0, "unscored": 0.0, "reason": ""}
    assert ask(SMALL, MALFORMED) == {"score": -1.0, "unscored": 0.0, "reason": "missing_tag"}
    assert ask(SMALL, MALFORMED, format_penalty=-2.0)["score"] == -2.0


def test_what_could_not_be_scored_stops_the_run_unless_a_number_is_chosen():
    with pytest.raises(UserError, match=r"no reward \(timeout\).*reward_kwargs\.unscored=NUMBER"):
        ask(LARGE, NEAR, **LIMITED)
    assert ask(LARGE, NEAR, unscored=-0.25, **LIMITED) == {"score": -0.25, "unscored": 1.0, "reason": "timeout"}
    assert ask(LARGE, GOLDEN, unscored=-0.25, **LIMITED)["score"] == 1.0


def test_a_misspelt_setting_is_refused():
    with pytest.raises(TypeError, match="time_limit"):
        ask(SMALL, GOLDEN, time_limit=3)


def test_the_row_has_what_verl_reads():
    row = row_of(SMALL, PROMPT)
    assert (row["prompt"], row["reward_model"]["style"], row["extra_info"]) == (
        PROMPT,
        "rule",
        {"instance_id": "shop-1"},
    )
