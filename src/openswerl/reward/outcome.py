"""What a scoring gives back, and how a reward says that it cannot score."""

from dataclasses import dataclass, field
from typing import NamedTuple

TIMEOUT, WORKER_DIED, MEMORY_LIMIT = "timeout", "worker_died", "memory_limit"


@dataclass(frozen=True, slots=True)
class Score:
    """One answer's reward; `reason` is None for a well-formed answer that was scored in time.

    Reasons: those of `openswerl.edits.FormatError`, which earn the format penalty; and "timeout", "worker_died",
    "memory_limit" and those of `UnscorableError`, with the reward None: no number stands for what was not scored.
    `files` maps a path that either side changes to its own score. `events` are the codes of what the edit rules let
    through or forgave. `seconds` is the wall time, 0 where the cache knew the answer; it does not count in comparisons.
    """

    reward: float | None
    reason: str | None = None
    files: dict[str, float] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)


class Value(NamedTuple):
    """What a kind of reward computes for a well-formed answer: the number, and that of each file."""

    reward: float
    files: dict[str, float]


class UnscorableError(Exception):
    """The answer could not be scored for a reason that is not its own; `reason` is a stable code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
