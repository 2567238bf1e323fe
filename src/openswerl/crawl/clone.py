"""One clone of a repository: commits, folders, contents, diffs, and where a branch left its base.

Every text that leaves a clone here is redacted: contents and messages. Diffs are git's own bytes (`patches`).
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from openswerl.crawl import differ
from openswerl.crawl.contents import Content, as_text, content_of
from openswerl.crawl.differ import Diff, Differ
from openswerl.crawl.git import GitError, clone_path, git
from openswerl.crawl.objects import MAX_BLOB, Objects
from openswerl.redact import redact

__all__ = ["Clone", "Clones", "Commit", "Content", "Entry", "as_text"]
MAX_COMMIT = 64 << 20
MAX_TREE = 64 << 20
CACHED = 256
COMMIT = re.compile(rb"tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)")


class Commit(NamedTuple):
    """What a diff needs of a commit, and its redacted message."""

    tree: str
    parents: list[str]
    message: str


class Entry(NamedTuple):
    """One name in a folder; `mode` is octal text, 40000 for a folder."""

    mode: str
    name: str
    sha: str


class Clone:
    """A context manager; `path` is the git directory. Raises GitError (unreadable_clone) on entry if it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commit = functools.lru_cache(CACHED)(self._commit)
        self.content = functools.lru_cache(CACHED)(self._content)
        self.entries = functools.lru_cache(CACHED)(self._entries)
        self.renamer: Differ | None = None

    def __enter__(self) -> Self:
        try:
            git(self.path, "rev-parse", "--git-dir")
        except GitError as error:
            raise GitError("unreadable_clone", f"{self.path} is not a readable clone: {error.detail}") from None
        attributes = self.path / "info" / "attributes"  # the one file of the kind that no option of git's turns off
        if attributes.exists() and attributes.read_bytes().strip():
            raise GitError("unreadable_clone", f"{attributes} would change what git prints: remove it")
        self.objects, self.differ = Objects(self.path), Differ(self.path, *differ.PATCH)
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.objects, self.differ, self.renamer):
            if process is not None:
                process.close()
        for cached in (self.commit, self.content, self.entries):
            cached.cache_clear()

    def diff(self, old: str, new: str, limit: int = differ.MAX_DIFF) -> Diff:
        """Compare the trees of two commits.

        Raises GitError: missing_object, diff_too_large (`limit` bytes), git_failed; the clone stays of use after that.
        Raises UnicodeDecodeError if a path is not UTF-8.
        """
        return differ.parse_patch(self.differ.compare(self._tree(old), self._tree(new), limit))

    def renames(self, old: str, new: str) -> dict[str, str]:
        """Return new path to old path where git takes a removed and an added file for one (-M, at most 400 a side).

        Raises as `diff` does.
        """
        self.renamer = self.renamer or Differ(self.path, *differ.RENAMES)
        return differ.parse_renames(self.renamer.compare(self._tree(old), self._tree(new), differ.MAX_DIFF))

    def _tree(self, sha: str) -> str:
        if (commit := self.commit(sha)) is None:
            raise GitError("missing_object", f"the clone lacks commit {sha}")
        return commit.tree

    def _commit(self, sha: str) -> Commit | None:
        """Return a commit, reachable from a ref or not; None if the clone lacks it. Raises GitError (git_failed)."""
        found = self.objects.read(sha, MAX_COMMIT)
        if found is None or found.kind != "commit" or not found.whole:
            return None
        head, _, message = found.data.partition(b"\n\n")
        fields = COMMIT.match(head + b"\n")
        if fields is None:
            raise GitError("git_failed", f"commit {sha} is malformed")
        parents = fields[2].decode().split()[1::2]
        return Commit(fields[1].decode(), parents, redact(message.decode("utf-8", "replace")).text)

    def _content(self, blob: str, limit: int = MAX_BLOB) -> Content:
        """Return a blob as redacted text; without text and with the reason where it has none to store."""
        return content_of(self.objects.read(blob, limit))

    def _entries(self, tree: str) -> list[Entry]:
        """Return a folder's entries in git's order. Raises GitError: missing_object, git_failed."""
        found = self.objects.read(tree, MAX_TREE)
        if found is None or not found.whole:
            raise GitError("missing_object", f"the clone lacks tree {tree}")
        try:
            return list(_parse_tree(found.data, len(tree) // 2))
        except ValueError:
            raise GitError("git_failed", f"tree {tree} is malformed") from None


def _parse_tree(data: bytes, sha_bytes: int) -> Iterator[Entry]:
    position = 0
    while position < len(data):
        end = data.index(b"\0", position)
        mode, _, name = data[position:end].partition(b" ")
        position = end + 1 + sha_bytes
        if position > len(data):
            raise ValueError("the tree ends within an id")
        yield Entry(mode.decode("ascii"), name.decode("utf-8", "surrogateescape"), data[end + 1 : position].hex())


class Clones:
    """A folder of clones named `owner__name` or `owner__name.git`, in upper or lower case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: dict[str, Path] = {}
        for path in sorted(folder.iterdir()):
            name = path.name.lower().removesuffix(".git").replace("__", "/", 1)
            if path.is_dir():
                self.paths.setdefault(name, path / ".git" if (path / ".git").is_dir() else path)

    def open(self, repo: str) -> Clone:
        """Return the clone of owner/name. Raises GitError (no_clone) with the command that makes it."""
        if path := self.paths.get(repo.lower()):
            return Clone(path)
        target = clone_path(self.folder, repo)
        advice = f"git clone --mirror https://github.com/{repo} {target}"
        raise GitError("no_clone", f"no clone of {repo} in {self.folder}: {advice}")
