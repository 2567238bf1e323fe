"""Ask a policy for many samples of many instances, in parts that fit into memory and can be repeated one by one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from openswerl.evaluate.views import TaskView
from openswerl.models.prompts import Prompt
from openswerl.rollout import Completion, Sampler

CHUNK = 32  # samples that share a seed; a result depends on it


class Chunk(NamedTuple):
    """The samples `first` to `last` (exclusive) of one instance; `number` counts the chunks of the instance."""

    task: TaskView
    number: int
    first: int
    last: int

    @property
    def samples(self) -> range:
        """The numbers of the samples."""
        return range(self.first, self.last)


class Question(NamedTuple):
    """A prompt, its seed, and the numbers of the samples that it is asked for."""

    prompt: Prompt
    seed: int
    samples: Sequence[int]


def chunks(tasks: Iterable[TaskView], samples: int) -> Iterator[Chunk]:
    """Yield the chunks of every instance, in order."""
    for task in tasks:
        for number, first in enumerate(range(0, samples, CHUNK)):
            yield Chunk(task, number, first, min(first + CHUNK, samples))


def packed(pieces: Iterable[Chunk], rows: int) -> Iterator[list[Chunk]]:
    """Yield consecutive chunks together, of about `rows` samples: what is asked for at once and kept at once."""
    pack: list[Chunk] = []
    for piece in pieces:
        pack.append(piece)
        if size(pack) >= rows:
            yield pack
            pack = []
    if pack:
        yield pack


def size(pack: Sequence[Chunk]) -> int:
    """Return the number of samples."""
    return sum(len(chunk.samples) for chunk in pack)


def ask(questions: Sequence[Question], sampler: Sampler, temperature: float) -> list[dict[int, Completion]]:
    """Return, per question, sample number to completion. Questions of as many samples are asked in one call."""
    answers: list[dict[int, Completion]] = [{} for _ in questions]
    alike = defaultdict(list)
    for place, question in enumerate(questions):
        alike[len(question.samples)].append(place)
    for samples, places in alike.items():
        prompts, seeds = [questions[k].prompt for k in places], [questions[k].seed for k in places]
        found = sampler.generate(prompts, samples=samples, temperature=temperature, seeds=seeds)
        for place, row in zip(places, found, strict=True):
            answers[place] = dict(zip(questions[place].samples, row, strict=True))
    return answers
