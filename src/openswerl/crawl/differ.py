"""Diffs of one clone through one `git diff-tree --stdin` process: half a millisecond a diff instead of eight."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from openswerl.crawl.git import GitError, converse
from openswerl.records import ChangedFile

MAX_DIFF = 16 << 20
FORMAT = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", "--diff-algorithm=myers")
PREFIXES = ("-U3", "--src-prefix=a/", "--dst-prefix=b/")
PATCH = ("-r", "--raw", "--numstat", "-z", "--patch", *FORMAT, *PREFIXES)
RENAMES = ("-r", "--raw", "-z", "-M", "-l400", "--diff-filter=R", "--full-index")


class Diff(NamedTuple):
    """Two trees compared; `patch` is byte for byte what `git diff` prints with the same format options."""

    files: list[ChangedFile]
    additions: int
    deletions: int
    patch: bytes


class Differ:
    """The answers of one `git diff-tree` process to questions about two trees."""

    def __init__(self, clone: Path, *options: str) -> None:
        self.clone, self.options = clone, options
        self.process = converse(clone, "diff-tree", "--stdin", *options)

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()

    def compare(self, old_tree: str, new_tree: str, limit: int) -> bytes:
        """Return what git prints. Raises GitError (missing_object, diff_too_large, git_failed); of use after that."""
        try:
            return self._compare(old_tree, new_tree, limit)
        except GitError:
            self.close()
            self.process = converse(self.clone, "diff-tree", "--stdin", *self.options)
            raise

    def _compare(self, old_tree: str, new_tree: str, limit: int) -> bytes:
        asked, answers = self.process.stdin, self.process.stdout
        assert asked and answers
        # Git echoes a line that names no tree and flushes; the hash keeps any path or patch from forging it.
        mark = f"#{hashlib.sha256(f'{old_tree}{new_tree}'.encode()).hexdigest()}\n".encode()
        try:
            asked.write(f"{old_tree} {new_tree}\n".encode() + mark)
            asked.flush()
        except BrokenPipeError:
            raise GitError("git_failed", "git diff-tree ended") from None
        answers.readline()
        lines: list[bytes] = []
        size = 0
        while not (line := answers.readline(limit)).endswith(mark):
            size += len(line)
            if not line:
                raise GitError("missing_object", "the clone lacks a tree or blob of this diff")
            if size > limit:
                raise GitError("diff_too_large", f"more than {limit} bytes")
            lines.append(line)
        return b"".join(lines) + line.removesuffix(mark)


def parse_patch(output: bytes) -> Diff:
    """Read the NUL-terminated lists and the patch after them. Raises UnicodeDecodeError if a path is not UTF-8."""
    files: list[ChangedFile] = []
    counts = [0, 0]
    position = 0
    while output[position : position + 1] not in (b"", b"\0"):
        end = output.index(b"\0", position)
        field = output[position:end]
        if field.startswith(b":"):
            stop = output.index(b"\0", end + 1)
            files.append(_changed_file(field, output[end + 1 : stop]))
            end = stop
        else:
            numbers = field.split(b"\t")[:2]
            counts = [total + int(n) if n != b"-" else total for total, n in zip(counts, numbers, strict=True)]
        position = end + 1
    return Diff(files, counts[0], counts[1], output[position + 1 :])


def parse_renames(output: bytes) -> dict[str, str]:
    """Return new path to old path."""
    return {new.decode("utf-8"): old.decode("utf-8") for old, new in _rename_pairs(output)}


def _rename_pairs(output: bytes) -> Iterator[tuple[bytes, bytes]]:
    fields = output.split(b"\0")[:-1]
    return zip(fields[1::3], fields[2::3], strict=True)


def _changed_file(field: bytes, path: bytes) -> ChangedFile:
    old_mode, new_mode, old, new, status = field[1:].decode("ascii").split(" ")
    exists = {"0" * len(old): None}
    return ChangedFile(path.decode("utf-8"), status[0], old_mode, new_mode, exists.get(old, old), exists.get(new, new))
