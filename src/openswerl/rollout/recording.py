"""Write down every answer of a sampler, so that `rollout=replay` can give it again."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from omegaconf import DictConfig

from openswerl.models.prompts import Prompt, digest_of
from openswerl.rollout.samples import Answered, Completion, Sampler


class Place(msgspec.Struct, frozen=True):
    """Which sample of which question: the sha256 of the prompt, the temperature, the prompt's seed, the number."""

    prompt: str
    temperature: float
    seed: int
    sample: int


class Recorded(msgspec.Struct, frozen=True):
    """One line of the record; without a completion it says that the prompt was too long to be asked."""

    place: Place
    completion: Completion | None


def recorded(sampler: Sampler, serving: DictConfig) -> Sampler:
    """Return the sampler, wrapped if `serving.record` says so."""
    return Recorder(sampler, Path(serving.folder, "record.jsonl")) if serving.record else sampler


class Recorder(Sampler):
    """Gives what another sampler gives, and appends each answer to a file before it is passed on; faults are none.

    Several processes may append to one file.
    """

    def __init__(self, sampler: Sampler, path: Path) -> None:
        self.sampler = sampler
        self.tokenizer, self.max_prompt_tokens = sampler.tokenizer, sampler.max_prompt_tokens
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.open("a+b", buffering=0)
        _end_last_line(self.file.fileno())

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield what the other sampler yields."""
        digests = [digest_of(prompt) for prompt in prompts]
        for one in self.sampler.stream(prompts, samples=samples, temperature=temperature, seeds=seeds):
            if one.completion.fault is None:
                place = Place(digests[one.prompt], temperature, seeds[one.prompt], one.sample)
                self._append(Recorded(place, one.completion))
            yield one

    def count(self, prompt: Prompt) -> int:
        """Return the other sampler's count."""
        return self.sampler.count(prompt)

    def fits(self, prompt: Prompt) -> bool:
        """Return what the other sampler says; a prompt that does not fit is noted, as `replay` has no tokenizer."""
        fits = self.sampler.fits(prompt)
        if not fits:
            self._append(Recorded(Place(digest_of(prompt), 0.0, 0, 0), None))
        return fits

    def _append(self, line: Recorded) -> None:
        text = json.dumps(msgspec.to_builtins(line))  # ASCII, as a server may send what UTF-8 cannot hold
        self.file.write(text.encode() + b"\n")

    def close(self) -> None:
        """Close the file and the other sampler."""
        self.file.close()
        self.sampler.close()


def _end_last_line(file: int) -> None:
    """What a kill left of a line stays one line of its own, which `replay` passes over."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
