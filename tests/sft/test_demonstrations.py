"""What is kept as a demonstration, and why the rest is not."""

import pytest

from openswerl.edits import render
from openswerl.errors import UserError
from openswerl.reward import open_rewards
from openswerl.rollout import Completion
from openswerl.sft.demonstrations import Demonstration, counts, open_source
from openswerl.sft.editing import gold_edit
from openswerl.sft.questions import make_questions
from sft.conftest import OLD, make

ONE = make("o__r-1", {"p/m.py": (OLD, "def f(a):\n    return a + 1  # gh-7\n")})
GOOD = render("think", gold_edit(ONE))
WRONG_FIX = GOOD.replace("a + 1  # gh-7", "a * 1")
LOCALISED = "<think>\nwhy\n</think>\n<solution>\np/m.py\n</solution>"


class TableSampler:
    """A backend that answers every prompt with the same list."""

    def __init__(self, answers, finished=True):
        self.answers, self.finished, self.prompts, self.seeds = answers, finished, [], []

    def generate(self, prompts, *, samples, temperature, seeds):
        self.prompts += prompts
        self.seeds += seeds
        return [[Completion(text, [1], self.finished) for text in self.answers[:samples]] for _ in prompts]


def answers(cfg, sampler, instances=(ONE,)):
    with open_rewards(cfg.reward, cfg.edits) as rewards:
        return open_source(cfg, sampler, rewards).answer(make_questions(instances, cfg.sft, cfg.seed))


def test_hinted_keeps_what_is_well_formed_and_drops_the_text_of_the_rest(settings):
    texts = [GOOD, WRONG_FIX, GOOD.replace("    return a - 1", "return a - 1"), "I do not know"]
    sampler = TableSampler(texts)
    found = answers(settings("sft.prompts=1", "sft.samples_per_prompt=4"), sampler)
    assert [(item.answer, item.reason) for item in found] == [
        (GOOD, None), (WRONG_FIX, None), (None, "search_not_found"), (None, "missing_tag"),
    ]  # fmt: skip
    assert "return a + 1  # gh-7" in sampler.prompts[0]


def test_unfinished_answers_are_not_kept(settings):
    found = answers(settings("sft.prompts=1", "sft.samples_per_prompt=1"), TableSampler([GOOD], finished=False))
    assert [item.reason for item in found] == ["unfinished"]


def test_an_answer_that_never_came_keeps_the_code_of_its_fault(settings):
    class Faulty(TableSampler):
        def generate(self, prompts, **asked):
            fault = Completion("", [], False, fault="rate_limit")
            return [[fault, *row[1:]] for row in super().generate(prompts, **asked)]

    for kind in ("paper", "rejection"):
        found = answers(settings(f"sft={kind}", "sft.prompts=1", "sft.samples_per_prompt=2"), Faulty([GOOD, GOOD]))
        assert [(item.answer, item.reason) for item in found] == [(None, "rate_limit"), (GOOD, None)]


def test_rejection_asks_without_a_hint_and_keeps_by_reward(settings):
    cfg = ("sft=rejection", "sft.prompts=1", "sft.samples_per_prompt=3")
    sampler = TableSampler([GOOD, WRONG_FIX, "I do not know"])
    assert [item.reason for item in answers(settings(*cfg), sampler)] == [None, "low_reward", "missing_tag"]
    assert "gh-7" not in sampler.prompts[0]
    assert [item.reason for item in answers(settings(*cfg, "sft.min_reward=0.1"), sampler)] == [
        None,
        None,
        "missing_tag",
    ]


def test_rejection_keeps_right_localisations(settings):
    cfg = settings("sft=rejection", "sft.prompts=1", "sft.samples_per_prompt=2", "sft.localisation=1")
    found = answers(cfg, TableSampler([LOCALISED, LOCALISED.replace("m.py", "n.py")]))
    assert [(item.kind, item.reason) for item in found] == [
        ("localisation", None), ("localisation", "edited_not_first"),
    ]  # fmt: skip


def test_gold_asks_nobody(settings):
    cfg = settings("sft=gold", "sft.prompts=4", "sft.localisation=0.5")
    found = answers(cfg, None, [ONE, make("o__r-2", {"p/m.py": (OLD, "x = 1\n")})])
    assert [item.kind for item in found] == ["editing", "localisation"] * 2
    assert all(item.answer and item.reason is None for item in found)


def test_questions_bring_their_own_seeds(settings):
    sampler = TableSampler([GOOD])
    answers(settings("sft.prompts=3", "sft.samples_per_prompt=1"), sampler)
    assert len(set(sampler.seeds)) == 3


def test_an_unknown_source_is_one_line(settings):
    with pytest.raises(UserError, match=r"sft\.demonstrations=magic is unknown: choose hinted, gold, rejection"):
        answers(settings("sft.demonstrations=magic"), None)


def test_counts_by_reason_and_kind():
    found = [
        Demonstration("editing", "a", "x"),
        Demonstration("editing", "a", None, "no_blocks"),
        Demonstration("localisation", "b", None, "unfinished"),
        Demonstration("localisation", "b", None, "no_blocks"),
    ]
    assert counts(found) == {
        "sampled": 4,
        "kept": 1,
        "rejected": {"no_blocks": 2, "unfinished": 1},
        "kinds": {"editing": {"kept": 1, "sampled": 2}, "localisation": {"kept": 0, "sampled": 2}},
    }
