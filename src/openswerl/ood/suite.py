"""What every benchmark is to the stage: rows become items, an output becomes an answer, an answer is judged."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


class NoAnswer(Exception):
    """An output without an answer in the form that was asked for; the message is a stable code."""


@dataclass(frozen=True)
class Item:
    """One question. `row` holds the right answer too, for the judge alone; `group` is a category, or empty."""

    id: str
    question: str
    row: Row
    group: str = ""


@dataclass(frozen=True)
class Program:
    """Python that runs to its end if and only if the answer is right.

    `setup` comes first, in the same module, and holds nothing of the answer: where it fails, row or machine are wrong.
    """

    setup: str
    source: str


@dataclass(frozen=True)
class Suite:
    """The parts of a benchmark.

    `item` raises KeyError, TypeError, ValueError or IndexError for a row that is none of its own. `answer` raises
    NoAnswer. `judge` says at once whether an answer is right, or gives the program that tells. `own` yields rows in the
    same form that are ours; None where there are none. `macro`: the rate is the mean over groups, not over items.
    """

    item: Callable[[Row], Item]
    answer: Callable[[Item, str], str]
    judge: Callable[[Item, str], bool | Program]
    own: Callable[[], Iterator[Row]] | None = None
    macro: bool = False


def text(row: Row, key: str) -> str:
    """Return a text of a row. Raises KeyError or TypeError if it is missing or no text."""
    if not isinstance(row[key], str):
        raise TypeError(f"{key} is not a text")
    return str(row[key])
