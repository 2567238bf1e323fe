"""A killed synthesis asks for what is missing, and for nothing else."""

import msgspec
import pytest

from openswerl.errors import UserError
from openswerl.sft.demonstrations import Demonstration
from openswerl.sft.questions import make_questions
from openswerl.sft.synthesis import synthesise
from sft.conftest import OLD, make

INSTANCES = [make(f"o__r-{number}", {"p/m.py": (OLD, f"x = {number}\n")}) for number in range(7)]


class Killed(Exception):
    pass


class Echo:
    """Answers with the question's seed; dies at the n-th chunk."""

    def __init__(self, dies_at=None, reason=None):
        self.dies_at, self.reason, self.asked = dies_at, reason, []

    def answer(self, questions):
        if len(self.asked) == self.dies_at:
            raise Killed
        self.asked.append(len(questions))
        return [
            Demonstration(q.kind.name, q.instance.instance_id, None if self.reason else str(q.seed), self.reason)
            for q in questions
        ]


@pytest.fixture
def cfg(settings):
    return settings("sft.prompts=7", "sft.samples_per_prompt=4", "rollout.batch_rows=8")


def test_resuming_ends_in_the_same_answers_without_asking_again(cfg, tmp_path):
    questions = make_questions(INSTANCES, cfg.sft, 0)
    whole = synthesise(questions, Echo, cfg, tmp_path / "whole")
    assert [item.instance_id for item in whole] == [question.instance.instance_id for question in questions]
    killed, second = Echo(dies_at=2), Echo()
    with pytest.raises(Killed):
        synthesise(questions, lambda: killed, cfg, tmp_path / "killed")
    assert synthesise(questions, lambda: second, cfg, tmp_path / "killed") == whole
    assert killed.asked + second.asked == [2, 2, 2, 1]

    def never():
        raise AssertionError("all chunks are there")

    assert synthesise(questions, never, cfg, tmp_path / "killed") == whole
    names = sorted(path.name for path in (tmp_path / "killed").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "whole").iterdir())


def test_answers_to_other_questions_are_not_taken_for_these(cfg, tmp_path):
    synthesise(make_questions(INSTANCES, cfg.sft, 0), Echo, cfg, tmp_path)
    fewer = make_questions(INSTANCES[1:], cfg.sft, 0)
    assert [item.answer for item in synthesise(fewer, Echo, cfg, tmp_path)] == [str(one.seed) for one in fewer]


def test_nothing_kept_is_one_line_with_the_reasons(cfg, tmp_path):
    with pytest.raises(UserError, match=r"none of 7 demonstrations is kept \({'no_blocks': 7}\); raise sft\.prompts"):
        synthesise(make_questions(INSTANCES, cfg.sft, 0), lambda: Echo(reason="no_blocks"), cfg, tmp_path)


def test_a_chunk_with_a_fault_is_asked_again_and_told(cfg, tmp_path, capsys):
    questions = make_questions(INSTANCES, cfg.sft, 0)

    class OneFault(Echo):
        def answer(self, asked):
            first, *rest = super().answer(asked)
            fault = msgspec.structs.replace(first, answer=None, reason="rate_limit")
            return [fault if len(self.asked) == 2 else first, *rest]

    first = synthesise(questions, OneFault, cfg, tmp_path)
    assert [item.reason for item in first] == [None, None, "rate_limit", None, None, None, None]
    assert capsys.readouterr().err == "sft: warning: 1 answers never came (rate_limit 1)\n"
    second = Echo()
    again = synthesise(questions, lambda: second, cfg, tmp_path)
    assert second.asked == [2] and all(item.answer for item in again)
    assert capsys.readouterr().err == ""
