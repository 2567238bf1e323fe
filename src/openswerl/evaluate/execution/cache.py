"""Results of executed patches, kept across samples, policies and seeds of one run."""

import functools
import hashlib
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.sandbox.worker import RUNNER
from openswerl.evaluate.views import GoldView
from openswerl.files import write_json

VERSION = 1


class Cache:
    """One small file an execution; a damaged file counts as absent. Safe for several processes at once."""

    def __init__(self, folder: Path, sandbox: str, timeout_s: int) -> None:
        self.folder = folder
        self.setting = [VERSION, sandbox, timeout_s, *_versions()]

    def get(self, gold: GoldView, patch: str) -> Execution | None:
        """Return the stored execution of a patch, None if there is none."""
        try:
            return msgspec.json.decode(self._path(gold, patch).read_bytes(), type=Execution)
        except (FileNotFoundError, msgspec.MsgspecError):
            return None

    def put(self, gold: GoldView, patch: str, execution: Execution) -> None:
        """Store an execution, unless running it again may end in another way."""
        if execution.repeatable:
            write_json(self._path(gold, patch), msgspec.to_builtins(execution))

    def _path(self, gold: GoldView, patch: str) -> Path:
        key = hashlib.sha256(json.dumps([self.setting, gold.digest, patch]).encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"


@functools.cache
def _versions() -> list[str]:
    """Return what decides a result besides the row and the patch."""
    runner = hashlib.sha256(RUNNER.read_bytes()).hexdigest()
    return [runner, version("swebench"), version("pytest"), platform.python_version(), sys.platform]
