"""Why a reward does not rise, on the metrics of real runs, which test_trial.py runs again in part.

trial_runs.json: 30 steps (12 and 10 of the last two) of 4 prompts and 8 samples at scale=smoke, with other settings.
"""

import json
from pathlib import Path

import pytest

from openswerl.preflight.trial import judge_trial
from openswerl.preflight.trial_causes import CAUSES
from openswerl.preflight.trial_distance import Distance

RUNS = json.loads(Path(__file__).with_name("trial_runs.json").read_text())


@pytest.fixture
def judged(config):
    def judge(rows, moved, *overrides):
        return judge_trial(rows, config(*overrides), 2.0, Distance(*moved))

    return judge


def test_a_run_that_rises_needs_no_cause(judged):
    trial = judged(RUNS["healthy"]["rows"], RUNS["healthy"]["moved"])
    assert (trial.word, trial.cause, trial.advice) == ("rises", None, "Training is worth starting")
    assert str(trial) == (
        "trial: the reward rises, by +1.08 (+0.67 to +1.49) over 30 steps; well formed 0.29 to 0.86, KL 0.023, 0.017 "
        "of the groups without signal. Training is worth starting"
    )


@pytest.mark.parametrize(
    ("run", "cause"),
    [
        ("hot", "far"),
        ("flat", "blind_reward"),
        ("form", "format"),
        ("few", "few_rollouts"),
        ("still", "still"),
        ("low", "still"),
    ],
)
def test_each_cause_on_a_run_that_has_it(judged, run, cause):
    trial = judged(RUNS[run]["rows"], RUNS[run]["moved"])
    assert (trial.word, trial.cause) == ("does not clearly rise", cause)
    assert trial.advice == CAUSES[cause].advice


def test_a_kl_term_that_is_too_strong(judged):
    rows, moved = RUNS["klmid"]["rows"], RUNS["klmid"]["moved"]
    assert judged(rows, moved, "grpo.kl_coefficient=2").cause == "kl"
    assert judged(rows, moved, "grpo.kl_coefficient=0.02").cause == "noise"  # the same distances under a light rein


def test_updates_that_are_not_finite_come_first(judged):
    rows = [{**row, "nonfinite": int(step == 7)} for step, row in enumerate(RUNS["hot"]["rows"])]
    assert judged(rows, RUNS["hot"]["moved"]).cause == "nonfinite"


def test_a_policy_that_moved_under_rewards_that_show_nothing_is_noise(judged):
    assert judged(RUNS["low"]["rows"], RUNS["healthy"]["moved"]).cause == "noise"


def test_malformed_answers_are_not_to_blame_where_groups_have_signal(judged):
    rows = RUNS["low"]["rows"]
    assert sum(row["format_rate"] for row in rows) / len(rows) < 0.5
    assert judged(rows, RUNS["low"]["moved"]).cause != "format"


def test_a_reward_that_falls_has_a_cause_too(judged):
    rows = RUNS["healthy"]["rows"][::-1]
    trial = judged(rows, RUNS["hot"]["moved"])
    assert (trial.word, trial.cause) == ("falls", "far")


def test_without_an_answer_at_the_end_the_distance_is_unknown(config):
    trial = judge_trial(RUNS["still"]["rows"], config(), 2.0, None)
    assert trial.cause == "noise" and "KL ?" in str(trial)
