"""Scoring of groups: what counts as unfinished, and what people see in the metrics."""

import pytest
from omegaconf import OmegaConf

from openswerl.edits import render
from openswerl.grpo.rollouts import draw_groups, open_rewards, reward_table, rollout_metrics, rollout_rows
from openswerl.records import Instance, SourceFile
from openswerl.rollout import Completion
from openswerl.sft.demonstrations import gold_edit

OLD, NEW = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1\n"
INSTANCE = Instance("o__r-1", "o/r", "abc", "f is wrong", [SourceFile("m.py", OLD)], [], [SourceFile("m.py", NEW)], "")
GOOD = render("think", gold_edit(INSTANCE))
REWARD = {
    "kind": "continuous", "compat": "paper", "format_penalty": -0.5, "time_limit_s": 10, "timeout_reward": -1,
}  # fmt: skip
CFG = OmegaConf.create(
    {
        "grpo": {"group_size": 4, "temperature": 1.0, "unfinished_reward": -1.0},
        "model": {"prompt": "compact"},
        "reward": REWARD,
    }
)


class Fixed:
    """Answers every prompt alike."""

    def generate(self, prompts, *, samples, temperature, seed):
        good = Completion(GOOD, [5, 6, 1], True)
        endless = Completion(GOOD, [5, 6, 7, 8], False)
        wrong = Completion(GOOD.replace("a + 1", "a * 1"), [5, 1], True)
        return [[good, endless, Completion("what?", [9], True), wrong][:samples] for _ in prompts]


@pytest.fixture
def groups():
    with open_rewards(CFG.reward) as rewards:
        return draw_groups([INSTANCE, INSTANCE], Fixed(), rewards, CFG, 0)


def test_rewards_and_reasons(groups):
    good, endless, malformed, wrong = reward_table(groups)[0].tolist()
    assert (good, endless, malformed) == (1.0, -1.0, -0.5)
    assert 0 < wrong < 1
    assert [score.reason for score in groups[0].scores] == [None, "unfinished", "missing_tag", None]


def test_metrics(groups):
    metrics = rollout_metrics(groups)
    assert metrics["format_rate"] == 0.5
    assert metrics["exact_rate"] == metrics["unfinished_rate"] == 0.25
    assert metrics["response_tokens"] == (3 + 4 + 1 + 2) / 4
    assert metrics["timeout_rate"] == 0


def test_rows_name_step_and_sample(groups):
    rows = rollout_rows(groups, 7)
    assert [(row.step, row.sample) for row in rows] == [(7, i) for _ in range(2) for i in range(4)]
    assert rows[0].output == GOOD and rows[0].files == {"m.py": 1.0}
