"""The backend of official images where only Apptainer is allowed, as on many clusters: no daemon, no root.

This was never run against a real Apptainer: see harness/README.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from openswerl.errors import UserError, last_line
from openswerl.evaluate.backends import inside
from openswerl.evaluate.backends.engine import PULL_S
from openswerl.evaluate.backends.identity import identity
from openswerl.evaluate.backends.locks import locked
from openswerl.evaluate.execution.actions import Action
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.specs import find_spec
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import TaskView

VERSION = 1
PROGRAM = "apptainer"
TREE = "/testbed"


def pull_command(image: str, file: Path) -> list[str]:
    """Return the call that makes an image file of a registry's image."""
    return [PROGRAM, "pull", "--force", str(file), f"docker://{image}"]


def copy_command(file: Path, folder: Path) -> list[str]:
    """Return the call that copies the tree out of an image, as an image file is read-only."""
    return [PROGRAM, "exec", "--contain", "--bind", f"{folder}:/copy", str(file), "cp", "-a", f"{TREE}/.", "/copy/"]


def run_command(file: Path, tree: Path, scratch: Path) -> list[str]:
    """Return the call that runs bash on standard input, without network, on a tree of its own."""
    held = ["--contain", "--cleanenv", "--pid", "--net", "--network", "none"]
    bound = ["--bind", f"{tree}:{TREE}", "--bind", f"{scratch}:/tmp", "--pwd", TREE]
    return [PROGRAM, "exec", *held, *bound, str(file), "/bin/bash", "-s"]


class ApptainerBackend:
    """Runs actions in the rows' images, which are kept below `folder` with their trees; a run gets a copy of a tree.

    Several processes may share the folder. Limits are those of the processes that can be seen from here, as Apptainer
    sets memory limits only with cgroups.
    """

    kind = "apptainer"

    def __init__(self, limits: Limits, folder: Path) -> None:
        if shutil.which(PROGRAM) is None:
            raise UserError(f"{PROGRAM} is not on PATH: load its module, or choose another evaluate.backend")
        self.limits, self.folder = limits, folder
        folder.mkdir(parents=True, exist_ok=True)

    def environment(self, task: TaskView) -> str:
        """Return the image's name (its file holds what that meant when pulled), limits, swebench and the recipe."""
        return identity(self.kind, VERSION, task.image, self.limits, find_spec(task.repo, task.version))

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action. State "infrastructure": the image cannot be had, or its tree cannot be read."""
        place = self.folder / hashlib.sha256(task.image.encode()).hexdigest()[:16]
        if wrong := self._unpacked(task.image, place):
            return Execution("infrastructure", None, wrong)
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.folder, ignore_cleanup_errors=True) as name:
            tree, scratch = Path(name, "tree"), Path(name, "tmp")
            try:
                scratch.mkdir()
                shutil.copytree(place / "tree", tree, symlinks=True)
            except OSError as error:
                return Execution("infrastructure", None, f"{task.image}: its tree cannot be copied ({error})")
            words = inside.told()
            script = inside.script(task, patch, action, words)
            ended = inside.fed(run_command(place / "image.sif", tree, scratch), os.environ, script, self.limits)
            return inside.read(ended, words, action)

    def close(self) -> None:
        """Do nothing: images are kept for the next run."""

    def _unpacked(self, image: str, place: Path) -> str | None:
        """Have the image and its tree below `place`; returns what went wrong, None if nothing did."""
        with locked(self.folder, place.name):
            return None if (place / "tree").is_dir() else self._unpack(image, place)

    def _unpack(self, image: str, place: Path) -> str | None:
        fresh = place / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for command in (pull_command(image, place / "image.sif"), copy_command(place / "image.sif", fresh)):
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PULL_S)
            except subprocess.TimeoutExpired:
                return f"{image}: {command[1]} took over {PULL_S} s"
            if done.returncode:
                return f"{image}: {last_line(done.stderr)}"
        fresh.rename(place / "tree")
        return None
