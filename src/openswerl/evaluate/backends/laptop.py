"""The backend of the laptop benchmark: pure-Python trees in memory, one sandbox, a fork for every run."""

import functools
import hashlib
import json
import platform
import sys
from importlib.metadata import version
from typing import Any

from openswerl.evaluate.execution.actions import Action, Grading, Script, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.execution.trees import PatchError, Tree
from openswerl.evaluate.harness.guard import shadows
from openswerl.evaluate.sandbox.worker import RUNNER, Worker
from openswerl.evaluate.views import TaskView

VERSION = 1
PLAIN = ["-p", "no:cacheprovider"]


class LaptopBackend:
    """Runs pytest, or a program, on the files of a tree; nothing is installed. `sandbox`: bubblewrap or process."""

    kind = "laptop"

    def __init__(self, sources: Sources, sandbox: str, timeout_s: int) -> None:
        self.sources, self.timeout_s = sources, timeout_s
        self.worker = Worker(sandbox)

    def environment(self, task: TaskView) -> str:
        """Return sandbox, time limit, runner and versions; the same for every instance."""
        return json.dumps([VERSION, self.kind, self.worker.kind, self.timeout_s, *_versions()])

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action in the sandbox.

        Raises UserError for a row whose tests are no single pytest call, or whose clone or test patch is broken.
        """
        try:
            job = self._job(task, patch, action)
        except PatchError as error:
            return Execution("apply_failed", None, str(error))
        answer = self.worker.run(job)
        return Execution(answer["state"], answer["code"], answer["output"])

    def close(self) -> None:
        """End the sandbox."""
        self.worker.close()

    def _job(self, task: TaskView, patch: str, action: Action) -> dict[str, Any]:
        if isinstance(action, Grading):
            tree = self.sources.graded(task, patch, action.gold)
            what = {"arguments": [*PLAIN, *action.gold.pytest_arguments]}
        else:
            tree = self.sources.patched(task, patch)
            what = _own(action)
        return {**what, "tree": _sent(tree), "timeout_s": self.timeout_s, "own_interpreter": any(map(shadows, tree))}


def _own(action: Suite | Script) -> dict[str, Any]:
    if isinstance(action, Script):
        return {"program": action.source.encode("utf-8", "surrogatepass").decode("latin-1")}
    return {"arguments": [*PLAIN, "-rA", *action.files]}


def _sent(tree: Tree) -> dict[str, list[str]]:
    return {path: [entry.mode, entry.data.decode("latin-1")] for path, entry in tree.items()}


@functools.cache
def _versions() -> list[str]:
    """Return what decides a result besides tree, patch and action."""
    runner = hashlib.sha256(RUNNER.read_bytes()).hexdigest()
    return [runner, version("swebench"), version("pytest"), platform.python_version(), sys.platform]
