"""Values by key in one SQLite file, so that any number of them is one file that survives kills of its writers."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from openswerl.errors import UserError

PATIENCE_S = 120.0  # for other processes that write
OF_THE_DISK = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC")  # the file itself is whole
AT_ONCE = 500  # keys in one query
CREATE = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"


class Kept:
    """A table from bytes to bytes. Threads and processes may share it; what `put` returned from survives a kill.

    Raises UserError if the file cannot be used: `what` names its contents, `advice` says what to do.
    """

    def __init__(self, path: Path, what: str, advice: str) -> None:
        self.path, self.what, self.advice = path, what, advice
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, PATIENCE_S, isolation_level=None, check_same_thread=False)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None
        self._run("PRAGMA synchronous=NORMAL")
        self._run(CREATE)

    def count(self) -> int:
        """Return how many there are; a table has no length, so that an empty one is not false."""
        return int(self._run("SELECT count(*) FROM kept")[0][0])

    def find(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield key and value of those that are there."""
        wanted = list(keys)
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            yield from self._run(f"SELECT key, value FROM kept WHERE key IN ({','.join('?' * len(part))})", part)

    def put(self, key: bytes, value: bytes) -> None:
        """Store a value; one that is there stays."""
        self._run("INSERT OR IGNORE INTO kept VALUES (?, ?)", (key, value))

    def replace(self, key: bytes, value: bytes) -> None:
        """Store a value, also in the place of one that is there."""
        self._run("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, value))

    def remove(self, key: bytes) -> None:
        """Forget a value."""
        self._run("DELETE FROM kept WHERE key = ?", (key,))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _run(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> UserError:
        if getattr(error, "sqlite_errorname", "") in OF_THE_DISK:
            return UserError(f"{self.path}: {error}; mend it and run again")
        return UserError(f"{self.what} at {self.path} cannot be used ({error}): {self.advice}")
