"""What is kept as a demonstration, and why the rest is not."""

import pytest
from omegaconf import OmegaConf

from openswerl.edits import render
from openswerl.errors import UserError
from openswerl.models.prompts import repair_prompt
from openswerl.records import Instance, SourceFile
from openswerl.reward import score
from openswerl.rollout import Completion
from openswerl.sft.demonstrations import gold_edit, make_demonstrations

OLD, NEW = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1  # gh-7\n"
INSTANCE = Instance(
    "o__r-1", "o/r", "abc", "f is wrong", [SourceFile("p/m.py", OLD)], [SourceFile("p/n.py", "x = 1\n")],
    [SourceFile("p/m.py", NEW)], "GOLD-CANARY",
)  # fmt: skip
GOOD = render("think", gold_edit(INSTANCE))
WRONG_FIX = GOOD.replace("a + 1  # gh-7", "a * 1")
ANSWERS = {
    GOOD: None,
    WRONG_FIX: None,  # form is all that is asked for
    GOOD.replace("</solution>", ""): "missing_tag",
    GOOD.replace("    return a - 1", "return a - 1"): "search_not_found",
    GOOD.replace("### p/m.py", "### p/other.py"): "search_not_found",
    "I do not know": "missing_tag",
}


class TableSampler:
    """Answers every prompt with the same list."""

    def __init__(self, answers, finished=True):
        self.answers, self.finished, self.prompts = answers, finished, []

    def generate(self, prompts, *, samples, temperature, seed):
        self.prompts += prompts
        return [[Completion(text, [1], self.finished) for text in self.answers[:samples]] for _ in prompts]


def config(demonstrations, samples=6):
    sft = {"demonstrations": demonstrations, "prompts": 1, "samples_per_prompt": samples, "temperature": 1.0}
    return OmegaConf.create({"sft": sft, "rollout": {"batch_rows": 64}, "model": {"prompt": "compact"}, "seed": 0})


def test_hinted_keeps_what_is_well_formed():
    sampler = TableSampler(list(ANSWERS))
    done = make_demonstrations([INSTANCE], sampler, config("hinted"))
    assert [text for _, text in done.kept] == [text for text, reason in ANSWERS.items() if reason is None]
    assert done.rejected == {"missing_tag": 2, "search_not_found": 2}
    assert done.sampled == len(ANSWERS)
    assert "return a + 1  # gh-7" in sampler.prompts[0]  # the hint
    assert "return a + 1  # gh-7" not in repair_prompt(INSTANCE.task, "compact")  # the training prompt has none


def test_unfinished_answers_are_rejected():
    with pytest.raises(UserError, match="none of 1 demonstrations is well formed"):
        make_demonstrations([INSTANCE], TableSampler([GOOD], finished=False), config("hinted", 1))


def test_gold_scores_one():
    ((instance, answer),) = make_demonstrations([INSTANCE], TableSampler([]), config("gold")).kept
    assert score(instance.task.context, instance.oracle, answer).reward == 1.0


def test_unknown_source_is_one_line():
    with pytest.raises(UserError, match=r"sft\.demonstrations=magic is unknown: choose hinted or gold"):
        make_demonstrations([INSTANCE], TableSampler([]), config("magic"))
