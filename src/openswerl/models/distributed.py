"""Who this process is among those that a launcher started, and how they talk. Without a launcher there is one.

Ranks are read from the variables that `openswerl.launch` sets, as torchrun does, so that asking costs no import of
torch. Objects travel by the process group that `Engine.start` opens.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def rank() -> int:
    """Return the number of this process, from 0."""
    return int(os.environ.get("RANK", 0))


def world() -> int:
    """Return how many processes work together."""
    return int(os.environ.get("WORLD_SIZE", 1))


def is_main() -> bool:
    """Whether this process is the one that writes."""
    return rank() == 0


def barrier() -> None:
    """Wait for the other processes."""
    gather([])


def share(items: Sequence[T], team: int = 1) -> list[T]:
    """Return this process's part: item i belongs to rank i modulo the number of processes.

    With teams of so many consecutive processes, which work together, it belongs to team i modulo their number.
    """
    return list(items[rank() // team :: world() // team])


def pool(items: Sequence[T], team: int) -> list[T]:
    """Return this process's items; with teams, its team's part of all processes' items. All processes must call it."""
    return list(items) if team == 1 else share(gather(items), team)


def gather(objects: Sequence[T]) -> list[T]:
    """Return the parts of all processes, on each of them, in the order that `share` took them from.

    Objects are pickled. All processes must call it; the parts may differ in length.
    """
    parts = _all(list(objects))
    longest = max(map(len, parts))
    return [part[i] for i in range(longest) for part in parts if i < len(part)]


def sum_over_ranks(values: Mapping[str, float], team: int = 1) -> dict[str, float]:
    """Return each value summed over the processes, in rank order, so that the sum is the same everywhere.

    Of teams, whose processes have the same values, each counts once.
    """
    parts = _all(dict(values))[::team]
    return {key: sum(part.get(key, 0.0) for part in parts) for key in dict.fromkeys(k for part in parts for k in part)}


def max_over_ranks(value: int) -> int:
    """Return the greatest value of any process: how many micro-batches all must run, for instance."""
    return max(_all(value))


def _all(item: T) -> list[T]:
    """Return every process's item in rank order."""
    if world() == 1:
        return [item]
    from torch import distributed

    parts: list[T | None] = [None] * world()
    distributed.all_gather_object(parts, item)
    return parts  # type: ignore[return-value]


def leave() -> None:
    """Wait for the other processes, then close the group: gloo aborts a process whose peer ends while it is open."""
    if world() > 1:
        from torch import distributed

        if distributed.is_initialized():
            distributed.barrier()
            distributed.destroy_process_group()
