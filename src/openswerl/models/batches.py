"""Which item comes at which step: a pure function of the seed, so that a resumed run sees what the killed one would."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def batch_at(items: Sequence[T], step: int, size: int, seed: int) -> list[T]:
    """Return the items of one step out of an endless sequence of shuffled epochs; an epoch may end inside a batch."""
    first = step * size
    return [_item(items, position, seed) for position in range(first, first + size)]


def _item(items: Sequence[T], position: int, seed: int) -> T:
    epoch, index = divmod(position, len(items))
    order = list(range(len(items)))
    random.Random(f"{seed} epoch {epoch}").shuffle(order)
    return items[order[index]]


def step_seed(seed: int, step: int) -> int:
    """Return the sampling seed of one step."""
    return random.Random(f"{seed} step {step}").randrange(2**31)
