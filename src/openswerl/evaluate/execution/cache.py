"""A backend that runs nothing twice."""

import hashlib
import json
from collections.abc import Iterable, Sequence

import msgspec

from openswerl.evaluate.backends.protocol import Backend
from openswerl.evaluate.execution.actions import Action, Grading, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.views import Problem, TaskView

VERSION = 2
KEPT_OUTPUT = 1 << 16  # characters of a time-out, for instance: they are no result, but tell what happened


class Cached:
    """Keeps what another backend's executions came to; what may end in another way again is kept for this run alone.

    The key covers the backend's environment, the base commit, the patch and the action. `ran` and `found` count the
    executions that were run and those that were at hand. `close` closes the backend and the store.
    """

    def __init__(self, backend: Backend, store: Store) -> None:
        self.backend, self.store = backend, store
        self.kind = backend.kind
        self.ran = self.found = 0
        self._once: dict[bytes, Execution] = {}

    def environment(self, task: TaskView) -> str:
        """Return the backend's."""
        return self.backend.environment(task)

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Return the stored execution, or run the action; every `attempt` is run and kept by itself."""
        key = key_of(self.environment(task), task, patch, action, attempt)
        stored = self._once.get(key) or self.store.get(key)
        if stored is not None:
            self.found += 1
            return stored
        execution = self.backend.run(task, patch, action, attempt)
        self.ran += 1
        self._keep(key_of(self.environment(task), task, patch, action, attempt), execution)  # an image has an id now
        return execution

    def run_all(self, wanted: Iterable[tuple[Problem, Sequence[str]]]) -> None:
        """Grade at once what is not stored of these patches, if the backend can; else they are run one by one."""
        at_once = getattr(self.backend, "grade_all", None)
        if at_once is None:
            return
        pairs = [(problem, patch) for problem, patches in wanted for patch in patches if patch]
        keys = [key_of(self.environment(p.task), p.task, patch, Grading(p.gold)) for p, patch in pairs]
        new = [
            (pair, key)
            for pair, key in zip(pairs, keys, strict=True)
            if key not in self._once and self.store.get(key) is None
        ]
        executions = at_once([(problem.gold, patch) for (problem, patch), _ in new])
        self.ran += len(new)
        for ((problem, patch), _), execution in zip(new, executions, strict=True):
            task = problem.task
            self._keep(key_of(self.environment(task), task, patch, Grading(problem.gold)), execution)

    def _keep(self, key: bytes, execution: Execution) -> None:
        if execution.repeatable:
            self.store.put(key, execution)
        else:
            self._once[key] = msgspec.structs.replace(execution, output=execution.output[-KEPT_OUTPUT:])

    def close(self) -> None:
        """Free what the backend holds."""
        self.backend.close()
        self.store.close()


def key_of(environment: str, task: TaskView, patch: str, action: Action, attempt: int = 0) -> bytes:
    """Return the identity of an execution: a sha256 over all that decides how it ends."""
    base = f"{task.repo}@{task.base_commit}"
    parts = [VERSION, environment, base, patch, _identity(action), attempt]
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def _identity(action: Action) -> list[str]:
    if isinstance(action, Grading):
        return ["grading", action.gold.digest]
    if isinstance(action, Suite):
        return ["suite", *action.files]
    return ["script", action.source]
