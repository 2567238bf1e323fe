"""Atomic writes: a killed run never leaves half a file under its name."""

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

LEFTOVER = re.compile(r"\..+\.\d+\.tmp")  # what `replacing` yields


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; move it into place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Delete, at any depth, the temporary files and folders of killed runs.

    Call it while nobody else writes below the folder: whose process id a name holds does not tell whether that lives.
    """
    for path in list(folder.rglob(".*.tmp")):
        if not LEFTOVER.fullmatch(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def write_json(path: Path, data: Any) -> None:
    """Write one JSON document atomically, as `json_text` has it."""
    write_text(path, json_text(data))


def json_text(data: Any) -> str:
    """Return one JSON document with sorted keys, so that equal data are equal bytes."""
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object a line, atomically; ASCII, as archive text may hold what UTF-8 cannot."""
    with replacing(path) as temporary, temporary.open("w", encoding="ascii", newline="") as file:
        file.writelines(json.dumps(row, sort_keys=True) + "\n" for row in rows)


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a JSON Lines file; a file that does not exist has none."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
