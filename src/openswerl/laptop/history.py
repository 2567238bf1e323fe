"""Real git history by `git fast-import`: commits as data, one stream per repository."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openswerl.crawl.git import environment, require_git
from openswerl.errors import UserError


@dataclass(frozen=True)
class Commit:
    """One commit; `changes` maps a path to its new text, None for a deletion. Parents and `mark` are stream marks."""

    mark: int
    ref: str
    parents: tuple[int, ...]
    author: str
    when: int
    message: str
    changes: dict[str, str | None]


def import_history(folder: Path, commits: Sequence[Commit], refs: dict[str, int]) -> dict[int, str]:
    """Make a bare repository of the commits with `refs` (name to mark); returns mark to commit id.

    Raises UserError if git is absent or refuses the stream.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    marks = folder / "marks"
    run_git(["init", "--quiet", "--bare", "--initial-branch=main", str(folder)])
    stream = b"".join(_commit_bytes(commit) for commit in commits)
    stream += b"".join(f"reset {ref}\nfrom :{mark}\n\n".encode() for ref, mark in refs.items())
    run_git(["--git-dir", str(folder), "fast-import", "--quiet", f"--export-marks={marks}"], stream + b"done\n")
    lines = marks.read_text().split("\n")
    marks.unlink()
    return {int(mark[1:]): sha for mark, _, sha in (line.partition(" ") for line in lines) if sha}


def run_git(arguments: Sequence[str], stdin: bytes = b"") -> bytes:
    """Run git without the user's configuration; returns its output. Raises UserError with git's last line."""
    require_git()
    done = subprocess.run(["git", *arguments], input=stdin, capture_output=True, env=environment())
    if done.returncode:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise UserError(f"git {arguments[0]} failed: {last}")
    return done.stdout


def _commit_bytes(commit: Commit) -> bytes:
    who = f"{commit.author} <{commit.author}@example.invalid> {commit.when} +0000"
    parts = [f"commit {commit.ref}\nmark :{commit.mark}\nauthor {who}\ncommitter {who}\n".encode()]
    parts.append(_data(commit.message))
    for word, parent in zip(("from", "merge"), commit.parents, strict=False):
        parts.append(f"{word} :{parent}\n".encode())
    for path, text in sorted(commit.changes.items()):
        if text is None:
            parts.append(f"D {path}\n".encode())
        else:
            parts += [f"M 100644 inline {path}\n".encode(), _data(text)]
    return b"".join([*parts, b"\n"])


def _data(text: str) -> bytes:
    raw = text.encode()
    return b"data %d\n%s\n" % (len(raw), raw)
