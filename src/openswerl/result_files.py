"""What a result consists of, by sha256: a file that is damaged after it was written is refused, never used.

`files.json` is written before `result.json` and names it too, so that no single fault can make the two agree.
"""

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from openswerl.files import json_text, write_json, write_text

FILE, RESULT = "files.json", "result.json"
AHEAD_S = 60.0  # less may be two machines of a cluster
# What is no result: mirrors, which go on being written, checkpoints, and the marks of locks and of Snakemake.
APART = re.compile(r"wandb/|tensorboard/|work-|(.*/)?\.[^/]*$")


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """Write `files.json` on all that is in the folder, and then `result.json`."""
    text = json_text(result)
    found = {name: _sha256(folder / name) for name in _names(folder)}
    write_json(folder / FILE, {**found, RESULT: hashlib.sha256(text.encode()).hexdigest()})
    write_text(folder / RESULT, text)


def fault(folder: Path, unread: Collection[str] = ()) -> str | None:
    """Return what is wrong with a result, None if every file is as it was written.

    `unread` names the folders in it that are not looked at, as nobody reads them.
    """
    try:
        recorded = _recorded(folder)
    except FileNotFoundError:
        return f"{folder / FILE} is missing"
    except ValueError:
        return f"{folder / FILE} is damaged"
    read = (name for name in (RESULT, *sorted(recorded)) if name.partition("/")[0] not in unread)
    damaged = next((name for name in read if not _as_written(folder / name, recorded[name])), None)
    return f"{folder / damaged} is not what was written" if damaged else None


def discard(folder: Path) -> None:
    """Make an earlier result count no more, and delete what of it is damaged, so that nothing is built upon that."""
    finished = (folder / RESULT).exists()
    (folder / RESULT).unlink(missing_ok=True)
    try:
        recorded = _recorded(folder)
    except (FileNotFoundError, ValueError) as error:
        recorded = dict.fromkeys(_names(folder), "") if finished or isinstance(error, ValueError) else {}
    for name, sha256 in recorded.items():
        if not _as_written(folder / name, sha256):
            (folder / name).unlink(missing_ok=True)
    (folder / FILE).unlink(missing_ok=True)


def bring_to_now(folder: Path) -> None:
    """Give files that are of the future, since a clock was set back, the time of now.

    Snakemake refuses a job whose outputs are older than its inputs, and deletes those outputs. What is not ours to
    touch is left to its words.
    """
    now = time.time()
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.lstat().st_mtime > now + AHEAD_S:
                os.utime(path, (now, now), follow_symlinks=False)


def _recorded(folder: Path) -> dict[str, str]:
    """Return sha256 by name. Raises FileNotFoundError, and ValueError if it is damaged."""
    recorded = json.loads((folder / FILE).read_text(encoding="utf-8"))
    if not isinstance(recorded, dict) or RESULT not in recorded:
        raise ValueError
    return recorded


def _as_written(path: Path, sha256: str) -> bool:
    try:
        return _sha256(path) == sha256
    except (OSError, ValueError):  # gone, unreadable, or a name that no file can have
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _names(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not APART.match(name) and name not in (FILE, RESULT):
            yield name
