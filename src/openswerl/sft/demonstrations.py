"""Where demonstrations come from: perfect ones, or the base model's own, with or without the gold edit as hint."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec
from omegaconf import DictConfig

from openswerl.edits import rules_of
from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.reward import ScorePool, call_of
from openswerl.rollout import Completion, Sampler
from openswerl.sft.questions import Question


class Demonstration(msgspec.Struct, frozen=True):
    """One answer; `reason` says why it is not kept, and then its text is not kept either."""

    kind: str
    instance_id: str
    answer: str | None
    reason: str | None = None


class Source(Protocol):
    """Answers questions; the answers of a question do not depend on the other questions."""

    def answer(self, questions: Sequence[Question]) -> list[Demonstration]:
        """Return all answers, kept or not."""
        ...


class Gold:
    """One perfect answer per question: an upper bound that the paper does not have."""

    def answer(self, questions: Sequence[Question]) -> list[Demonstration]:
        """Return the gold answers."""
        return [
            Demonstration(question.kind.name, question.instance.instance_id, question.kind.gold(question.instance))
            for question in questions
        ]


class Hinted:
    """Samples answers to prompts that show the gold edit; keeps the well-formed ones (paper appendix C)."""

    def __init__(self, cfg: DictConfig, sampler: Sampler) -> None:
        self.cfg, self.sampler, self.rules = cfg, sampler, rules_of(cfg.edits)

    def answer(self, questions: Sequence[Question]) -> list[Demonstration]:
        """Sample `sft.samples_per_prompt` answers to each question."""
        sft = self.cfg.sft
        drawn = self.sampler.generate(
            [self.ask(question) for question in questions],
            samples=sft.samples_per_prompt,
            temperature=sft.temperature,
            seeds=[question.seed for question in questions],
        )
        pairs = [(question, one) for question, group in zip(questions, drawn, strict=True) for one in group]
        faults = [self._fault(question, one) for question, one in pairs]
        return [
            Demonstration(q.kind.name, q.instance.instance_id, None if reason else one.text, reason)
            for (q, one), reason in zip(pairs, self.judge(pairs, faults), strict=True)
        ]

    def ask(self, question: Question) -> Prompt:
        """The prompt that is sampled from; the training prompt later has no hint."""
        return question.kind.hinted(question.instance, self.cfg)

    def _fault(self, question: Question, completion: Completion) -> str | None:
        if not completion.finished:
            return completion.fault or "unfinished"
        return question.kind.fault(question.instance, completion.text, self.rules)

    def judge(self, pairs: Sequence[tuple[Question, Completion]], faults: list[str | None]) -> list[str | None]:
        """Return why each answer is not kept."""
        return faults


class Rejection(Hinted):
    """Samples without a hint and keeps what earns `sft.min_reward` (rejection sampling; not in the paper).

    A localisation answer of the right form is right, so it is scored no further.
    """

    def __init__(self, cfg: DictConfig, sampler: Sampler, rewards: ScorePool) -> None:
        super().__init__(cfg, sampler)
        self.rewards = rewards

    def ask(self, question: Question) -> Prompt:
        """The prompt of training."""
        return question.kind.prompt(question.instance, self.cfg)

    def judge(self, pairs: Sequence[tuple[Question, Completion]], faults: list[str | None]) -> list[str | None]:
        """Score the well-formed edits; an answer that could not be scored keeps that reason."""
        asked = [i for i, (question, _) in enumerate(pairs) if faults[i] is None and question.kind.name == "editing"]
        calls = [call_of(pairs[i][0].instance, pairs[i][1].text) for i in asked]
        judged = list(faults)
        for i, score in zip(asked, self.rewards.score_many(calls), strict=True):
            low = score.reward is None or score.reward < self.cfg.sft.min_reward
            judged[i] = score.reason or ("low_reward" if low else None)
        return judged


SOURCES: dict[str, Callable[[DictConfig, Sampler, ScorePool], Source]] = {
    "hinted": lambda cfg, sampler, rewards: Hinted(cfg, sampler),
    "gold": lambda cfg, sampler, rewards: Gold(),
    "rejection": Rejection,
}


def open_source(cfg: DictConfig, sampler: Sampler, rewards: ScorePool) -> Source:
    """Return the source that `sft.demonstrations` names. Raises UserError if it is unknown."""
    if cfg.sft.demonstrations not in SOURCES:
        raise UserError(f"sft.demonstrations={cfg.sft.demonstrations} is unknown: choose {', '.join(SOURCES)}")
    return SOURCES[cfg.sft.demonstrations](cfg, sampler, rewards)


def counts(found: Iterable[Demonstration]) -> dict[str, object]:
    """Return what became of the answers: sampled, kept, rejected by reason, and kept and sampled of each kind."""
    answers = list(found)
    rejected = Counter(item.reason for item in answers if item.reason)
    kinds = {
        kind: {
            "sampled": sum(item.kind == kind for item in answers),
            "kept": sum(item.kind == kind and item.reason is None for item in answers),
        }
        for kind in sorted({item.kind for item in answers})
    }
    kept = len(answers) - rejected.total()
    return {"sampled": len(answers), "kept": kept, "rejected": dict(sorted(rejected.items())), "kinds": kinds}
