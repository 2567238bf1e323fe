"""Read commits and blobs of one clone through one `git cat-file --batch` process."""

from pathlib import Path
from typing import IO, NamedTuple

from openswerl.crawl.git import GitError, converse

MAX_BLOB = 1 << 20


class Object(NamedTuple):
    """A git object; `data` is empty and `whole` false where it was larger than asked for."""

    kind: str
    data: bytes
    whole: bool


class Objects:
    """The objects of a clone, by id."""

    def __init__(self, clone: Path) -> None:
        self.process = converse(clone, "cat-file", "--batch")

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()

    def read(self, sha: str, limit: int = MAX_BLOB) -> Object | None:
        """Return the object, None if the clone lacks it. Raises GitError if git gives up."""
        asked, answers = self.process.stdin, self.process.stdout
        assert asked and answers
        try:
            asked.write(f"{sha}\n".encode())
            asked.flush()
        except BrokenPipeError:
            raise GitError("git_failed", "git cat-file ended") from None
        header = answers.readline().split()
        if len(header) != 3:
            if header[-1:] == [b"missing"]:
                return None
            raise GitError("git_failed", f"git cat-file cannot read {sha}")
        return _body(answers, header[1].decode(), int(header[2]), limit)


def _body(answers: IO[bytes], kind: str, size: int, limit: int) -> Object:
    if size <= limit:
        return Object(kind, answers.read(size + 1)[:-1], True)
    left = size + 1
    while left:
        left -= len(answers.read(min(left, MAX_BLOB)) or _ended())
    return Object(kind, b"", False)


def _ended() -> bytes:
    raise GitError("git_failed", "git cat-file ended")
