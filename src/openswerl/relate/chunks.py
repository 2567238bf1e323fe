"""Take seeds through the stage a few at a time, in their order, with little in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from itertools import groupby, islice
from typing import TypeVar

from openswerl.records import PullRequest

T = TypeVar("T")
R = TypeVar("R")
CHUNK = 32


def chunks(pulls: Iterable[PullRequest]) -> Iterator[list[PullRequest]]:
    """Yield up to 32 consecutive pull requests of one repository."""
    for _, group in groupby(pulls, lambda pull: pull.repo.lower()):
        while part := list(islice(group, CHUNK)):
            yield part


def in_order(pool: Executor, work: Callable[[T], R], items: Iterable[T], ahead: int) -> Iterator[R]:
    """Yield results in the order of the items, with at most `ahead` items taken and not yet handed out.

    `Executor.map` would take all items at once.
    """
    waiting: deque[Future[R]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
