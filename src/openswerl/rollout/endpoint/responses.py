"""Answers that were paid for, on disk: a killed run does not ask for them again."""

import fcntl
import hashlib
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from openswerl.errors import UserError
from openswerl.rollout.samples import Completion

PATIENCE_S = 60.0  # for other processes that write
AT_ONCE = 500  # keys in one query
CREATE = "CREATE TABLE IF NOT EXISTS responses (key BLOB PRIMARY KEY, completion TEXT NOT NULL) WITHOUT ROWID"


def key_of(base_url: str, path: str, body: dict[str, Any], seed: int, sample: int) -> bytes:
    """Return the identity of a sample: endpoint, model, prompt and sampling as they are sent, its seed and number."""
    whole = json.dumps([base_url, path, body, seed, sample], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(whole.encode()).digest()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, PATIENCE_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # what is committed survives us, if not the machine
    connection.execute(CREATE)
    return connection


class Responses:
    """A table from requests to answers, which several processes may share; it holds no prompt, no key and no fault.

    An answer that `keep` returned from survives a kill. Raises UserError if the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.with_name(f".{path.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # SQLite waits for no one else who turns to WAL at the same moment
                self.connection = _connect(path)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Completion]:
        """Return the answers that are there."""
        wanted, found = list(keys), {}
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            query = f"SELECT key, completion FROM responses WHERE key IN ({','.join('?' * len(part))})"
            for key, completion in self._run(query, part):
                found[key] = msgspec.convert(json.loads(completion), Completion)
        return found

    def keep(self, key: bytes, completion: Completion) -> None:
        """Store an answer; one that is there stays, and a fault is none."""
        if completion.fault is None:
            text = json.dumps(msgspec.to_builtins(completion))  # ASCII, as a server may send what UTF-8 cannot hold
            self._run("INSERT OR IGNORE INTO responses VALUES (?, ?)", (key, text))

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def _run(self, query: str, values: Any) -> list[tuple[bytes, str]]:
        try:
            return self.connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> UserError:
        return UserError(
            f"the answers at {self.path} cannot be used ({error}): name a folder on a disk of this machine by "
            "serving.folder, delete the file if it is damaged, or set serving.cache=false"
        )
