"""One clone of a repository: commits, folders, contents, diffs, and where a branch left its base."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from openswerl.crawl.differ import Diff, Differ
from openswerl.crawl.git import GitError, git
from openswerl.crawl.objects import Objects

MAX_COMMIT = 64 << 20
MAX_TREE = 64 << 20
MAX_WALK = 250
CACHED = 1024


class Commit(NamedTuple):
    """What a diff needs of a commit."""

    tree: str
    parents: list[str]


class Entry(NamedTuple):
    """One name in a folder; `mode` is octal text, 40000 for a folder."""

    mode: str
    name: str
    sha: str


class Content(NamedTuple):
    """A blob as text; `text` is None with a `reason`: binary, not_utf8, blob_too_large (1 MiB)."""

    text: str | None
    reason: str


class Clone:
    """A context manager; `path` is the git directory. Raises GitError (unreadable_clone) on entry if it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = functools.lru_cache(CACHED)(self._content)
        self.entries = functools.lru_cache(CACHED)(self._entries)

    def __enter__(self) -> Self:
        try:
            git(self.path, "rev-parse", "--git-dir")
        except GitError as error:
            raise GitError("unreadable_clone", f"{self.path} is not a readable clone: {error.detail}") from None
        self.objects, self.differ = Objects(self.path), Differ(self.path)
        return self

    def __exit__(self, *_: object) -> None:
        self.objects.close()
        self.differ.close()
        self.content.cache_clear()
        self.entries.cache_clear()

    def commit(self, sha: str) -> Commit | None:
        """Return a commit, reachable from a ref or not; None if the clone lacks it."""
        found = self.objects.read(sha, MAX_COMMIT)
        if found is None or found.kind != "commit":
            return None
        fields = [line.split(b" ", 1) for line in found.data.partition(b"\n\n")[0].split(b"\n")]
        parents = [value[0].decode() for name, *value in fields if name == b"parent"]
        return Commit(fields[0][1].decode(), parents)

    def fork_point(self, base: str, head: str) -> tuple[str, int] | None:
        """Return the merge base and the number of commits from there to the head; None if there is none."""
        steps = self._line(base, head)
        if steps is not None:
            return base, steps
        try:
            found = git(self.path, "merge-base", base, head).decode().strip()
        except GitError:
            return None
        return found, int(git(self.path, "rev-list", "--count", f"{found}..{head}"))

    def _line(self, base: str, head: str) -> int | None:
        """Return how far `head` is above `base` on a line without merges, which saves two processes; else None."""
        for steps in range(MAX_WALK):
            if head == base:
                return steps
            commit = self.commit(head)
            if commit is None or len(commit.parents) != 1:
                return None
            head = commit.parents[0]
        return None

    def diff(self, old: str, new: str) -> Diff:
        """Compare the trees of two commits; raises as `Differ.diff` does, and stays of use after that."""
        commits = self.commit(old), self.commit(new)
        if not commits[0] or not commits[1]:
            raise GitError("missing_object", f"the clone lacks commit {new if commits[0] else old}")
        try:
            return self.differ.diff(commits[0].tree, commits[1].tree)
        except GitError:
            self.differ.close()
            self.differ = Differ(self.path)
            raise

    def _content(self, blob: str) -> Content:
        """Return a blob as text. Raises GitError (missing_object) if the clone lacks it."""
        found = self.objects.read(blob)
        if found is None:
            raise GitError("missing_object", f"the clone lacks blob {blob}")
        return as_text(found.data) if found.whole else Content(None, "blob_too_large")

    def _entries(self, tree: str) -> list[Entry]:
        """Return a folder's entries in git's order. Raises GitError (missing_object) if the clone lacks it."""
        found = self.objects.read(tree, MAX_TREE)
        if found is None or not found.whole:
            raise GitError("missing_object", f"the clone lacks tree {tree}")
        return list(_parse_tree(found.data, len(tree) // 2))


def _parse_tree(data: bytes, sha_bytes: int) -> Iterator[Entry]:
    position = 0
    while position < len(data):
        end = data.index(b"\0", position)
        mode, _, name = data[position:end].partition(b" ")
        position = end + 1 + sha_bytes
        yield Entry(mode.decode("ascii"), name.decode("utf-8", "surrogateescape"), data[end + 1 : position].hex())


def as_text(data: bytes) -> Content:
    """Decode UTF-8 text; data with a NUL is binary."""
    if b"\0" in data:
        return Content(None, "binary")
    try:
        return Content(data.decode("utf-8"), "")
    except UnicodeDecodeError:
        return Content(None, "not_utf8")


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
        target = self.folder / (repo.replace("/", "__") + ".git")
        advice = f"git clone --mirror https://github.com/{repo} {target}"
        raise GitError("no_clone", f"no clone of {repo} in {self.folder}: {advice}")
