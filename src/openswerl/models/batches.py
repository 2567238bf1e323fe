"""Which item comes at which step: a pure function of the seed, so that a resumed run sees what the killed one would."""

import functools
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
    return items[_order(len(items), epoch, seed)[index]]


@functools.lru_cache(maxsize=2)  # a batch may touch two epochs
def _order(count: int, epoch: int, seed: int) -> tuple[int, ...]:
    order = list(range(count))
    random.Random(f"{seed} epoch {epoch}").shuffle(order)
    return tuple(order)
