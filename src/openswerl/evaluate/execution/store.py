"""Executions on disk: one SQLite file for all policies and seeds of a run, so that no number of them makes files."""

import json
import sqlite3
import zlib
from pathlib import Path

import msgspec

from openswerl.errors import UserError
from openswerl.evaluate.execution.outcome import Execution

NAME = "executions.sqlite"
TABLE = "create table if not exists executions (key blob primary key, execution blob not null) without rowid"
WAIT_S = 120


class Store:
    """Executions by key, compressed. Safe for several processes at once; what was put survives a kill.

    Raises UserError if the file is damaged or cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        folder.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
        self._run(TABLE)

    def get(self, key: bytes) -> Execution | None:
        """Return a stored execution, None if there is none."""
        row = self._run("select execution from executions where key = ?", key).fetchone()
        return None if row is None else msgspec.convert(json.loads(zlib.decompress(row[0])), Execution)

    def put(self, key: bytes, execution: Execution) -> None:
        """Store an execution; one that is there already stays."""
        text = json.dumps(msgspec.to_builtins(execution))  # ASCII, as output may hold what UTF-8 cannot
        self._run("insert or ignore into executions values (?, ?)", key, zlib.compress(text.encode()))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _run(self, statement: str, *values: bytes) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path}: {error}; if it is damaged, delete it and its tests run again") from None
