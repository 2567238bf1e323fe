"""Executions on disk: one file for all policies and seeds of a run."""

import json
import zlib
from pathlib import Path

import msgspec

from openswerl.evaluate.execution.outcome import Execution
from openswerl.kept import Kept

NAME = "executions.sqlite"


class Store:
    """Executions by key, compressed. Safe for several processes at once; what was put survives a kill.

    Raises UserError if the file is damaged or cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._kept = Kept(folder / NAME, "the executions", "if the file is damaged, delete it and its tests run again")

    def get(self, key: bytes) -> Execution | None:
        """Return a stored execution, None if there is none; a damaged one is forgotten, so that it is run again."""
        found = dict(self._kept.find([key]))
        try:
            return msgspec.convert(json.loads(zlib.decompress(found[key])), Execution) if found else None
        except (zlib.error, ValueError):
            self._kept.remove(key)
            return None

    def put(self, key: bytes, execution: Execution) -> None:
        """Store an execution; one that is there already stays."""
        self._kept.put(key, _packed(execution))

    def replace(self, key: bytes, execution: Execution) -> None:
        """Store an execution, also in the place of one that is there."""
        self._kept.replace(key, _packed(execution))

    def close(self) -> None:
        """Close the file."""
        self._kept.close()


def _packed(execution: Execution) -> bytes:
    text = json.dumps(msgspec.to_builtins(execution))  # ASCII, as output may hold what UTF-8 cannot
    return zlib.compress(text.encode())
