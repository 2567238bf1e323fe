"""What came of running one patch's tests."""

from typing import Literal

import msgspec

State = Literal[
    "exited",
    "timeout",
    "apply_failed",
    "output_limit",
    "process_limit",
    "memory_limit",
    "runner_lost",
    "infrastructure",
]


class Execution(msgspec.Struct, frozen=True):
    """`code` is the exit code of pytest (negative: the signal that ended it), `output` all that it printed."""

    state: State
    code: int | None = None
    output: str = ""

    @property
    def repeatable(self) -> bool:
        """Whether a second run would end alike: limits of time and machine depend on the load."""
        return self.state in ("exited", "apply_failed")
