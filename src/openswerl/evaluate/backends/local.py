"""The backend of real repositories without containers: their own tests in bubblewrap, no root, no network.

What it finds is a local result, not a SWE-bench score: the official images hold other builds of the same packages.
"""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from openswerl.errors import UserError
from openswerl.evaluate.backends import scripts
from openswerl.evaluate.backends.environments import BrokenEnvironment, Built, Environments
from openswerl.evaluate.backends.identity import identity
from openswerl.evaluate.backends.installs import mounted
from openswerl.evaluate.execution.actions import Action, Grading, Script, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.trees import as_bytes
from openswerl.evaluate.harness.official import official_script, repaired
from openswerl.evaluate.sandbox import isolation, jail
from openswerl.evaluate.sandbox.watch import Ended, Limits, watch
from openswerl.evaluate.views import TaskView

VERSION = 1
COMPILED = re.compile(r"^(?:\+\+\+|---) [ab]/\S+\.(?:c|cc|cpp|h|hpp|pyx|pxd)$", re.MULTILINE)


def open_local(folder: Path, clones: Path, sandbox: str, timeout_s: int, say: Callable[[str], None]) -> "LocalBackend":
    """Return the backend, with its environments below `folder` and the clones that `clone_of` finds below `clones`.

    Raises UserError if bubblewrap does not work here, and for another sandbox: a real repository is installed under
    fixed paths, and a plain process cannot have its own /testbed.
    """
    if sandbox != "bubblewrap":
        raise UserError(f"evaluate.backend=local needs evaluate.sandbox=bubblewrap, not {sandbox}: it mounts /testbed")
    isolation.require(sandbox)
    return LocalBackend(Environments(folder, clones, say), Limits(timeout_s))


class LocalBackend:
    """Runs actions in environments that are built on this machine when they are first asked for."""

    kind = "local"

    def __init__(self, environments: Environments, limits: Limits) -> None:
        self.environments, self.limits = environments, limits

    def environment(self, task: TaskView) -> str:
        """Return the hash of the instance's environment, the limits, the version of swebench and the recipe."""
        spec = self.environments.specs(task.repo, task.version)
        return identity(self.kind, VERSION, self.environments.key(task), self.limits, spec)

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action in a fresh tree.

        State "infrastructure": the environment could not be built, the patch would need a compiler, or the sandbox did
        not start. Raises UserError for a missing clone and a repository without recipe.
        """
        try:
            built = self.environments.get(task)
        except BrokenEnvironment as error:
            return Execution("infrastructure", None, str(error))
        if built.spec.reinstall and COMPILED.search(patch):
            return Execution("infrastructure", None, "the patch changes code that a run here cannot compile")
        said, ended = self._enter(built, patch, _texts(task, action, built))
        word = next((line for line in said if line in scripts.WORDS), "")
        if word == "refused":
            return Execution("apply_failed", None, next((line for line in said if line.startswith("error: ")), ""))
        if word != "ready":
            return Execution("infrastructure", None, f"the sandbox did not start: {said} {_text(ended.output)}")
        return graded(ended) if isinstance(action, Grading) else plain(ended)

    def close(self) -> None:
        """Do nothing: no sandbox outlives its run, and environments are kept for the next one."""

    def _enter(self, built: Built, patch: str, texts: Mapping[str, bytes]) -> tuple[list[str], Ended]:
        """Run the texts' action; returns the lines that the way in told, and how the run ended."""
        told, tell = os.pipe()
        with open(told, "rb") as lines, open(tell, "wb") as way_in:
            enter = scripts.enter(self.limits, tell).encode()
            files = {"patch": as_bytes(repaired(patch)), "enter": enter, **texts}
            view, command = run_view(built, files, self.limits), ["bash", "/openswerl/enter"]
            with jail.started(view, command, stdout=subprocess.PIPE, inherited=[tell]) as process:
                way_in.close()  # so that the lines end with the sandbox
                ended = watch(process, self.limits)
            return _text(lines.read()).split("\n"), ended


def run_view(built: Built, files: Mapping[str, bytes], limits: Limits) -> jail.View:
    """Return what a run sees: all of it is read-only or in memory. `files` go to /openswerl."""
    return jail.View(
        read_only={"/venv": built.venv, "/openswerl/testbed.tar": built.tree, **mounted(built.interpreter)},
        texts={f"/openswerl/{name}": text for name, text in files.items()} | {scripts.ACTIVATE: scripts.SHIM.encode()},
        memory={"/testbed": limits.disk_bytes, "/tmp": limits.disk_bytes},
    )


def _texts(task: TaskView, action: Action, built: Built) -> dict[str, bytes]:
    if isinstance(action, Script):
        return {"action": scripts.program().encode(), "program": as_bytes(action.source)}
    if isinstance(action, Suite):
        return {"action": as_bytes(scripts.suite(built.spec, action.files))}
    script = scripts.grading(official_script(action.gold.row), task.base_commit, built.head)
    return {"action": as_bytes(script)}


def plain(ended: Ended) -> Execution:
    """Return the execution of a program; a machine that has no memory left says nothing about it."""
    if ended.state == "host_memory":
        return Execution("infrastructure", None, "the machine ran out of memory")
    return Execution(ended.state, ended.code, _text(ended.output))


def graded(ended: Ended) -> Execution:
    """Return the execution of a row's script: what the tests printed, and their exit code.

    A script that was ended before its last marker is no result: whoever can end it can also write in its place.
    """
    execution = plain(ended)
    if execution.state != "exited":
        return execution
    tested = scripts.tested(execution.output)
    if tested is None or (ended.code or 0) < 0:
        return Execution("runner_lost", ended.code, execution.output)
    return Execution("exited", tested.code, tested.output)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
