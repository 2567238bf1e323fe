"""Journals: JSON Lines that survive a kill. metrics.jsonl is the truth of a run, and mirrors repeat it."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from openswerl.errors import UserError


class Journal:
    """Append-only JSON Lines whose rows have a `step`, in order; rows are on disk when `add` returns.

    Reopening at a step drops what a killed run wrote beyond it, a torn last line included. Numbers that are not finite
    become null, which JSON has. Raises UserError for a damaged file.
    """

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            os.truncate(path, _end_of(path, from_step))

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows in one write."""
        text = "".join(json.dumps(_finite(row), sort_keys=True) + "\n" for row in rows)
        with self.path.open("ab", buffering=0) as file:
            file.write(text.encode("ascii"))

    def read(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()] if self.path.exists() else []


def _end_of(path: Path, from_step: int) -> int:
    """Return the length in bytes of the rows before a step."""
    end = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break  # torn by a kill
            try:
                if json.loads(line)["step"] >= from_step:
                    break
            except (ValueError, KeyError, TypeError):
                raise UserError(f"{path} is damaged at byte {end}; delete its folder and train again") from None
            end += len(line)
    return end


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


class Tracker:
    """The metrics of one run: a journal whose rows stay at hand."""

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        self.journal = Journal(path, from_step=from_step)
        self.rows = self.journal.read()

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Record the values of one step; on disk when this returns."""
        self.rows.append({"step": step, **values})
        self.journal.add(self.rows[-1:])
