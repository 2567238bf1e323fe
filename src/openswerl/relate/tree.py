"""The files of a repository at one commit, read from a clone without a checkout."""

import re
from collections.abc import Iterator, Sequence

from openswerl.crawl.clone import Clone
from openswerl.crawl.git import GitError, git

FOLDER, REGULAR = "40000", ("100644", "100755")
WIDE_COMMIT = 30
COMMIT = re.compile(rb"\x01[0-9a-f]+\x01")  # before the paths of each; a path may hold the byte itself
NOT_UTF8 = re.compile("[\ud800-\udfff]")  # what a clone's entries hold in place of such a byte


class Tree:
    """Regular files by path; a path that is not UTF-8 is left out.

    Raises GitError (missing_object) if the clone lacks the commit or a folder of it.
    """

    def __init__(self, clone: Clone, commit: str) -> None:
        found = clone.commit(commit)
        if found is None:
            raise GitError("missing_object", f"the clone lacks commit {commit}")
        self.clone, self.commit = clone, commit
        self.blobs = dict(sorted(_walk(clone, found.tree, "")))

    def text(self, path: str) -> str | None:
        """Return a file's text; None if there is no such file, or it is no UTF-8 text of up to 1 MiB."""
        blob = self.blobs.get(path)
        return self.clone.content(blob).text if blob else None

    def history(self, commits: int) -> list[frozenset[str]]:
        """Return the paths that each of the last commits touched, newest first; see `changes`."""
        return changes(self.clone, f"--max-count={commits}", self.commit)


def changes(clone: Clone, *options: str, paths: Sequence[str] = ()) -> list[frozenset[str]]:
    """Return the paths that each commit of `git log` touched.

    Merges are left out, and commits of more than 30 files, which tell nothing about what belongs together. Raises
    GitError if git fails.
    """
    form = ("--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01%H%x01")
    output = git(clone.path, "--literal-pathspecs", "log", *form, *options, "--", *paths)
    groups = (group.strip(b"\n\0").split(b"\0") for group in COMMIT.split(output)[1:])
    found = [frozenset(path.decode("utf-8", "replace") for path in group if path) for group in groups]
    return [change for change in found if 0 < len(change) <= WIDE_COMMIT]


def _walk(clone: Clone, tree: str, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in clone.entries(tree):
        if NOT_UTF8.search(entry.name):
            continue
        if entry.mode == FOLDER:
            yield from _walk(clone, entry.sha, f"{prefix}{entry.name}/")
        elif entry.mode in REGULAR:
            yield prefix + entry.name, entry.sha
