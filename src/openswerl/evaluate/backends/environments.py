"""Environments of real repositories: a virtual environment and the tree that was installed into it, built once.

One environment is one folder, named by the hash of all that it was made from: recipe, commit, interpreter, and the
script that builds it. It holds `venv`, `testbed.tar` (one commit, with what the install left in the tree), `head` and
`build.log`. It is built in a sandbox that has the network and the mounts of a run: tree at /testbed, environment at
/venv, since installs write both paths down.
"""

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openswerl.errors import last_line
from openswerl.evaluate.backends import interpreters, scripts
from openswerl.evaluate.backends.checkouts import checkout, clone_of
from openswerl.evaluate.backends.installs import install, unwinding
from openswerl.evaluate.backends.interpreters import Interpreter
from openswerl.evaluate.backends.locks import locked
from openswerl.evaluate.harness.specs import Spec, spec_of
from openswerl.evaluate.views import TaskView


class BrokenEnvironment(Exception):
    """An environment that cannot be built here: no interpreter, or a failing install. Nothing about any patch."""


@dataclass(frozen=True)
class Built:
    """An environment that is there; `head` is the id of the tree's one commit."""

    venv: Path
    tree: Path
    head: str
    interpreter: Interpreter
    spec: Spec


@dataclass
class Environments:
    """Builds environments below `folder` from clones; safe for several processes at once.

    `clones` is the folder that `clone_of` looks in, `places` where interpreters are looked for.
    """

    folder: Path
    clones: Path
    say: Callable[[str], None]
    places: Sequence[str] = interpreters.PLACES
    specs: Callable[[str, str], Spec] = spec_of
    _found: dict[str, Interpreter | None] = field(default_factory=dict)
    _broken: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob(".*.tmp"):
            self._remove_left(left)

    def key(self, task: TaskView) -> str:
        """Return the hash that names the environment of an instance; it need not be built."""
        spec, found = self.specs(task.repo, task.version), self._interpreter(task)
        script = scripts.build(spec, str(found.path) if found else spec.python)
        parts = [task.repo, task.base_commit, task.version, found and found.version, script]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def get(self, task: TaskView) -> Built:
        """Return the environment of an instance, built now if need be.

        Raises BrokenEnvironment, again without another try in this process, and UserError for a missing clone.
        """
        key, spec, found = self.key(task), self.specs(task.repo, task.version), self._interpreter(task)
        if found is None:
            raise BrokenEnvironment(f"no CPython {spec.python} for {task.repo}: install one, by pyenv or uv")
        if key in self._broken:
            raise BrokenEnvironment(self._broken[key])
        place = self.folder / key
        if not place.exists():
            with locked(self.folder, key):
                self._build(task, spec, found, place)
        return Built(place / "venv", place / "testbed.tar", (place / "head").read_text().strip(), found, spec)

    def _interpreter(self, task: TaskView) -> Interpreter | None:
        version = self.specs(task.repo, task.version).python
        if version not in self._found:
            self._found[version] = interpreters.find(version, self.places)
        return self._found[version]

    def _remove_left(self, folder: Path) -> None:
        """Remove what a killed build left behind, unless somebody is at it."""
        with contextlib.suppress(BlockingIOError), locked(self.folder, folder.name[1:-4], wait=False):
            shutil.rmtree(folder, ignore_errors=True)

    def _build(self, task: TaskView, spec: Spec, found: Interpreter, place: Path) -> None:
        if place.exists():  # by the process that had the lock before
            return
        self.say(f"building the environment of {task.instance_id} (CPython {found.version})")
        made = self.folder / f".{place.name}.tmp"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        with unwinding():
            try:
                checkout(clone_of(self.clones, task.repo), task.base_commit, made / "testbed")
                if install(made, self.folder / "pip", found, spec, task.version):
                    self._fail(task, place.name, made / "out" / "build.log")
                (made / "venv").rename(made / "out" / "venv")
                (made / "out").rename(place)
            finally:
                shutil.rmtree(made, ignore_errors=True)

    def _fail(self, task: TaskView, key: str, log: Path) -> None:
        kept = self.folder / f"{key}.log"
        os.replace(log, kept)
        last = last_line(kept.read_text(errors="replace"))
        self._broken[key] = f"the environment of {task.instance_id} cannot be built ({last}); see {kept}"
        raise BrokenEnvironment(self._broken[key])
