"""Read commits, trees and blobs of one clone through one `git cat-file --batch` process."""

import hashlib
from pathlib import Path
from typing import IO, NamedTuple

from openswerl.crawl.git import GitError, converse

MAX_BLOB = 1 << 20


class Object(NamedTuple):
    """A git object; where it was larger than asked for, `data` is empty, `whole` false, and `sha256` known."""

    kind: str
    data: bytes
    whole: bool
    size: int
    sha256: str


class Objects:
    """The objects of a clone, by id."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone
        self.process = converse(clone, "cat-file", "--batch")

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()

    def read(self, sha: str, limit: int = MAX_BLOB) -> Object | None:
        """Return the object, None if the clone lacks it. Raises GitError (git_failed), and stays of use after that."""
        try:
            return self._read(sha, limit)
        except (BrokenPipeError, EOFError):
            self.close()
            self.process = converse(self.clone, "cat-file", "--batch")
            raise GitError("git_failed", f"git cat-file cannot read {sha}") from None

    def _read(self, sha: str, limit: int) -> Object | None:
        asked, answers = self.process.stdin, self.process.stdout
        assert asked and answers
        asked.write(f"{sha}\n".encode())
        asked.flush()
        header = answers.readline().split()
        if header[-1:] == [b"missing"]:
            return None
        if len(header) != 3:
            raise EOFError
        kind, size = header[1].decode(), int(header[2])
        data, sha256 = _body(answers, size, limit)
        return Object(kind, data, size <= limit, size, sha256)


def _body(answers: IO[bytes], size: int, limit: int) -> tuple[bytes, str]:
    if size <= limit:
        data = answers.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return data[:-1], ""
    hasher, left = hashlib.sha256(), size
    while left:
        chunk = answers.read(min(left, MAX_BLOB))
        if not chunk:
            raise EOFError
        hasher.update(chunk)
        left -= len(chunk)
    answers.read(1)
    return b"", hasher.hexdigest()
