"""One call that shows a bug, as the author of an issue would quote it."""

import random
from dataclasses import dataclass

from openswerl.laptop.bugs import Bug
from openswerl.laptop.functions import Function, behaviour, same, sample_inputs

SHORTEST = 3
LONGEST = 40  # characters of the call and both results; about 25 tokens


@dataclass(frozen=True)
class Example:
    """A call, what it gives ("!Type" if it raises), and what it should give; all as Python source."""

    call: str
    wrong: str
    right: str

    def text(self, rng: random.Random) -> str:
        """Return the sentence of an issue."""
        seen = f"raises {self.wrong[1:]}" if self.wrong.startswith("!") else f"gives {self.wrong}"
        return f"{rng.choice(['For example ', ''])}{self.call} {seen}, expected {self.right}."


def find_example(rng: random.Random, function: Function, bug: Bug) -> Example | None:
    """Return one of the shortest calls that show the bug; None if none of those tried is short or shows it."""
    found = sorted(showing(rng, function, bug), key=_length)[:SHORTEST]
    short = [one for one in found if _length(one) <= LONGEST]
    return rng.choice(short) if short else None


def showing(rng: random.Random, function: Function, bug: Bug) -> list[Example]:
    """Return the sampled calls that the bug answers wrongly; the right answer is never an exception."""
    calls = sample_inputs(rng, function.signature)
    wrong = behaviour(bug.source, function.name, calls)
    right = behaviour(function.source, function.name, calls)
    return [
        Example(f"{function.name}({', '.join(map(repr, call))})", bad, good)
        for call, bad, good in zip(calls, wrong, right, strict=True)
        if not good.startswith("!") and not same([bad], [good])
    ]


def _length(example: Example) -> int:
    return len(example.call.partition("(")[2]) + len(example.wrong) + len(example.right)
