"""Wait for many answers at a time."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_threads(work: Callable[[T], R], items: Sequence[T], count: int) -> Iterator[R]:
    """Yield the results in the order of the items; an error ends it, and what has not begun is not begun."""
    pool = ThreadPoolExecutor(count)
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
