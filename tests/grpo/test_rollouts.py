"""Scoring of groups: what counts as unfinished, what is masked, and which prompt has which seed."""

import math
from dataclasses import dataclass

import pytest

from openswerl.grpo.rollouts import Group, Place, reward_table, sample_groups, score_groups
from openswerl.reward import Score, open_rewards
from openswerl.rollout import Completion


def draw(instance, sampler, cfg):
    places = [Place(0, instance), Place(1, instance)]
    with open_rewards(cfg.reward, cfg.edits) as rewards:
        return score_groups(places, sample_groups(places, sampler, cfg, step=7), rewards, cfg)


def test_rewards_and_reasons(instance, rote, config):
    groups = draw(instance, rote, config("reward.format_penalty=-0.5"))
    good, endless, malformed, wrong = reward_table([group.rewards for group in groups])[1].tolist()
    assert (good, endless, malformed) == (1.0, -1.0, -0.5)
    assert 0 < wrong < 1
    assert [score.reason for score in groups[0].scores] == [None, "unfinished", "missing_tag", None]


def test_a_truncated_answer_may_be_masked(instance, rote, config):
    group, _ = draw(instance, rote, config("grpo.truncated=mask"))
    assert math.isnan(group.rewards[1]) and not math.isnan(group.rewards[0])
    assert (group.scored, group.scored_tokens) == (True, 3 + 1 + 2)
    row = group.rows(7)[1]
    assert (row.reward, row.reason) == (None, "unfinished")


@dataclass
class Stuck:
    """A scorer that scores nothing, for one reason."""

    reason: str

    def score_many(self, calls):
        return [Score(None, self.reason) for _ in calls]


@pytest.mark.parametrize(("value", "expected"), [("null", None), ("-0.25", -0.25)])
def test_an_answer_not_scored_in_time_has_the_configured_value_or_none(instance, good, config, value, expected):
    cfg = config(f"reward.timeout_reward={value}")
    (group,) = score_groups([Place(0, instance)], [[Completion(good, [5, 1], True, None)]], Stuck("timeout"), cfg)
    assert group.scores == [Score(expected, "timeout")]
    assert group.scored is (expected is not None)


@pytest.mark.parametrize(
    "reason",
    ["worker_died", "memory_limit", "runner_lost", "process_limit", "output_limit", "tests_do_not_tell", "no_tests"],
)
def test_what_was_not_scored_for_another_reason_is_masked(instance, good, config, reason):
    cfg = config("reward.timeout_reward=-0.25")
    (group,) = score_groups([Place(0, instance)], [[Completion(good, [5, 1], True, None)]], Stuck(reason), cfg)
    assert group.scores == [Score(None, reason)]
    assert not group.scored and group.scored_tokens == 0


def test_rows_name_step_and_sample(instance, rote, good, config):
    rows = [row for group in draw(instance, rote, config()) for row in group.rows(7)]
    assert [(row.step, row.sample, row.tokens) for row in rows] == [
        (7, i, n) for _ in "12" for i, n in enumerate([3, 4, 1, 2])
    ]
    assert rows[0].output == good and rows[0].files == {"m.py": 1.0}


def test_every_prompt_of_a_run_has_its_own_seed(instance):
    seeds = {
        Place(number, instance, attempt).seed(seed, step)
        for number in range(8) for attempt in range(2) for seed in range(2) for step in range(20)
    }  # fmt: skip
    assert len(seeds) == 8 * 2 * 2 * 20


def test_another_prompt_for_a_place_is_a_function_of_seed_and_step(tasks):
    place = Place(3, tasks[0])
    others = [place.other(tasks, 0, step) for step in range(20)]
    assert others == [place.other(tasks, 0, step) for step in range(20)]
    assert all((other.number, other.attempt) == (3, 1) for other in others)
    assert len({other.instance.instance_id for other in others}) > 5


def test_group_without_any_reward():
    group = Group(Place(0, None), [Completion("", [1], True, None)], [Score(None, "timeout")])
    assert (group.scored, group.scored_tokens) == (False, 0)


def test_what_was_not_answered_has_no_reward_and_keeps_its_reason(config, instance, good, tmp_path):
    missing = Completion("", [], False, fault="rate_limit")
    with open_rewards(config().reward, config().edits) as rewards:
        (group,) = score_groups([Place(0, instance)], [[missing, Completion(good, [5, 1], True)]], rewards, config())
    assert [(score.reward, score.reason) for score in group.scores] == [(None, "rate_limit"), (1.0, None)]
