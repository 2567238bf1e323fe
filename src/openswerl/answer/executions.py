"""Executions that a part leaves for the evaluation: under keys without an environment, which another machine may name
in another way, and with those that a second run would not repeat."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from openswerl.errors import UserError
from openswerl.evaluate.backends.protocol import Backend
from openswerl.evaluate.execution.actions import Action, Grading
from openswerl.evaluate.execution.cache import Cached, key_of
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.views import TaskView


class Recording(Cached):
    """A backend that runs nothing twice and keeps what its gradings came to in `folder`."""

    def __init__(self, backend: Backend, store: Store, folder: Path) -> None:
        super().__init__(backend, store)
        self._record = Store(folder)

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action, or find it."""
        execution = super().run(task, patch, action, attempt)
        if isinstance(action, Grading):
            self._record.replace(key_of("", task, patch, action, attempt), execution)  # a killed part had another
        return execution

    def close(self) -> None:
        """Free what the backend holds."""
        self._record.close()
        super().close()


class Recorded:
    """A backend that runs nothing: it finds what the parts' gradings came to. `places`: an instance's folder."""

    def __init__(self, kind: str, folders: Sequence[Path], places: Mapping[str, int]) -> None:
        self.kind, self.folders, self.places = kind, folders, places
        self._stores = [Store(folder) for folder in folders]

    def environment(self, task: TaskView) -> str:
        """Return the same text for all."""
        return "recorded"

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Return what the part ran. Raises UserError where it did not."""
        place = self.places[task.instance_id]
        found = self._stores[place].get(key_of("", task, patch, action, attempt))
        if found is None:
            raise UserError(f"{self.folders[place]} lacks an execution of {task.instance_id}; delete that folder")
        return found

    def close(self) -> None:
        """Close the files."""
        for store in self._stores:
            store.close()
