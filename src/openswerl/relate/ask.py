"""Ask a model once for each prompt; the answers are kept in a file, so that a killed run does not ask again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt, digest_of
from openswerl.relate.answers import Answer
from openswerl.relate.prompt import listing, related_prompt
from openswerl.relate.query import Query
from openswerl.relate.tree import Tree

if TYPE_CHECKING:
    from openswerl.rollout import Sampler


KEPT = ("", "prompt_too_long")  # any other fault may be another one the next time


class Recorded(msgspec.Struct, frozen=True):
    """One line of the record: the sha256 of a prompt, and its answer."""

    prompt: str
    answer: Answer


class Asker(Protocol):
    """A model that answers the questions of a predictor."""

    def ask(self, questions: Sequence[tuple[Query, Tree]]) -> list[Answer]:
        """Return one answer a question, in order; one that did not come has a fault."""
        ...

    def close(self) -> None:
        """Give back what the model holds."""
        ...


class Model:
    """Asks the model of `cfg.llm` greedily; it is loaded when a prompt has no recorded answer."""

    def __init__(self, cfg: DictConfig, serving: DictConfig, record: Path | None) -> None:
        self.cfg, self.serving, self.record = cfg, serving, record
        self.known = dict(_recorded(record)) if record else {}
        self.sampler: Sampler | None = None

    def ask(self, questions: Sequence[tuple[Query, Tree]]) -> list[Answer]:
        """Return recorded answers, and ask for the others in one batch. Raises UserError if there is no such model."""
        prompts = [related_prompt(query, *listing(query, tree, self.cfg), self.cfg) for query, tree in questions]
        new = {digest_of(prompt): prompt for prompt in prompts if digest_of(prompt) not in self.known}
        if new:
            self._note(dict(zip(new, self._generate(list(new.values())), strict=True)))
        return [self.known[digest_of(prompt)] for prompt in prompts]

    def close(self) -> None:
        """Close the model's sampler, if one was needed."""
        if self.sampler is not None:
            self.sampler.close()

    def _generate(self, prompts: Sequence[Prompt]) -> list[Answer]:
        from openswerl.models.checkpoint import base_checkpoint
        from openswerl.rollout import open_sampler

        model = self.cfg.llm.model
        if self.sampler is None:
            self.sampler = open_sampler(model, self.cfg.llm.rollout, self.serving, base_checkpoint(model))
        fits = [self.sampler.fits(prompt) for prompt in prompts]
        asked = [prompt for prompt, fit in zip(prompts, fits, strict=True) if fit]
        # greedy: the seeds choose nothing
        drawn = iter(self.sampler.generate(asked, samples=1, temperature=0.0, seeds=[0] * len(asked)) if asked else [])
        too_long = Answer("", fault="prompt_too_long")
        return [
            Answer((one := next(drawn)[0]).text, one.finished, one.fault or "") if fit else too_long for fit in fits
        ]

    def _note(self, answers: dict[str, Answer]) -> None:
        self.known |= answers
        if self.record:
            self.record.parent.mkdir(parents=True, exist_ok=True)
            kept = [item for item in answers.items() if item[1].fault in KEPT]
            lines = b"".join(msgspec.json.encode(Recorded(*item)) + b"\n" for item in kept)
            with self.record.open("ab") as file:
                file.write(lines)


def open_asker(cfg: DictConfig, serving: DictConfig, record: Path | None = None) -> Asker | None:
    """Return the model that `cfg.predictor` asks, None if it asks none; `cfg` is conf/relate, `serving` conf/serving.

    `record` is the file that keeps the answers. Raises UserError if `cfg.llm` is not set.
    """
    if cfg.predictor != "llm":
        return None
    if cfg.llm is None:
        raise UserError("relate.predictor=llm needs relate.llm; choose relate=llm")
    return Model(cfg, serving, record)


def _recorded(path: Path) -> list[tuple[str, Answer]]:
    """Read a record; what a kill left of its last line is cut off, so that the next line starts well."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        path.write_bytes(whole)
    rows = [msgspec.json.decode(line, type=Recorded) for line in whole.splitlines()]
    return [(row.prompt, row.answer) for row in rows]
