"""The rows of one step on disk, in a fixed order: a killed run goes on where it stood and ends with equal bytes.

A step is a sequence of parts, each with a known number of rows. Rows are appended in order and never changed: what is
there is the beginning of the whole, and the only loss of a kill is the part under way.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import msgspec

from openswerl.errors import UserError
from openswerl.progress import Progress

Row = TypeVar("Row", bound=msgspec.Struct)
Part = TypeVar("Part")


class Journal:
    """An append-only JSON Lines file; its first line is the digest of the settings that its rows belong to.

    Rows of other settings are dropped on opening, and so is a last line that a kill cut off. `done` counts the rows.
    """

    def __init__(self, path: Path, digest: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, header = path, json.dumps({"digest": digest}).encode() + b"\n"
        self._file = path.open("a+b", buffering=0)
        self.done, end = _whole_rows(path, header)
        self._file.truncate(end)
        if not end:
            self._file.write(header)

    def append(self, rows: Iterable[msgspec.Struct]) -> None:
        """Add rows at the end; they survive a kill of the process."""
        lines = [_line(row) for row in rows]
        self._file.write(b"".join(lines))
        self.done += len(lines)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def fill(
    path: Path,
    digest: str,
    parts: Iterable[Part],
    size: Callable[[Part], int],
    make: Callable[[Part], Iterable[msgspec.Struct]],
    progress: Progress,
) -> None:
    """Bring a journal to its end: append the rows of all parts that it does not hold yet.

    `make` is not called for a part that is there; of one that is there in part, the rows that are missing are added.
    """
    with closing(Journal(path, digest)) as journal:
        there = journal.done
        for part in parts:
            if there < size(part):
                journal.append(list(make(part))[there:])
            there = max(0, there - size(part))
            progress.step(size(part))


def read_rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a journal one by one. Raises UserError for a line that is no row."""
    with path.open("rb") as file:
        next(file, None)
        for number, line in enumerate(file, start=2):
            try:
                yield msgspec.convert(json.loads(line), kind)
            except ValueError:
                raise UserError(f"{path} line {number} is damaged; delete the file and run again") from None


def write_rows(path: Path, rows: Iterable[msgspec.Struct]) -> None:
    """Write rows as JSON Lines without a first line of another kind."""
    with path.open("wb") as file:
        file.writelines(map(_line, rows))


def _line(row: msgspec.Struct) -> bytes:
    return json.dumps(msgspec.to_builtins(row)).encode() + b"\n"  # ASCII, as answers may hold what UTF-8 cannot


def _whole_rows(path: Path, header: bytes) -> tuple[int, int]:
    """Return how many whole rows follow the header, and where they end; (0, 0) if the header is another."""
    with path.open("rb") as file:
        if next(file, b"") != header:
            return 0, 0
        rows, end = 0, len(header)
        for line in file:
            if line.endswith(b"\n"):
                rows, end = rows + 1, end + len(line)
        return rows, end
