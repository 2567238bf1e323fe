"""What every backend offers."""

from typing import Protocol

from openswerl.evaluate.execution.actions import Action
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.views import TaskView


class Backend(Protocol):
    """Runs actions on the base tree of an instance with a patch on it; every run starts from a fresh tree."""

    kind: str

    def environment(self, task: TaskView) -> str:
        """Return the identity of what an execution depends on besides tree, patch and action: a text for cache keys."""
        ...

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action; the patch "" is the unpatched base.

        Another `attempt` is another run, also where the backend keeps what it ran; most keep nothing and ignore it.
        What goes wrong in the patch or the program is a state of the execution. Raises UserError where the backend or
        the row is at fault.
        """
        ...

    def close(self) -> None:
        """Free what the backend holds."""
        ...
