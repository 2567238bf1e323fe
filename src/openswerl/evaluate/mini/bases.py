"""The files of an instance's base commit, read one by one: a tree may be large, and a prompt shows few of its files."""

from contextlib import ExitStack
from pathlib import Path

from openswerl.crawl.clone import Clone
from openswerl.crawl.git import GitError
from openswerl.errors import UserError
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.views import TaskView
from openswerl.records import SourceFile
from openswerl.relate import Tree


class Bases:
    """A context manager that opens every clone once and keeps the tree of the last instance."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._clones: dict[Path, Clone] = {}
        self._last: tuple[tuple[str, str], Tree] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> "Bases":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def tree(self, task: TaskView) -> Tree:
        """Return the base tree; regular files with UTF-8 names. Raises UserError if the clone lacks the commit."""
        key = task.repo, task.base_commit
        if self._last is None or self._last[0] != key:
            try:
                self._last = key, Tree(self._clone(self.sources.repository(task)), task.base_commit)
            except GitError as error:
                raise UserError(f"{task.instance_id}: {error.detail}; make the clone again") from None
        return self._last[1]

    def _clone(self, path: Path) -> Clone:
        if not path.is_dir():
            raise GitError("unreadable_clone", f"{path} is missing")
        if path not in self._clones:
            self._clones[path] = self._stack.enter_context(Clone(path))
        return self._clones[path]


def read_file(tree: Tree, path: str) -> SourceFile | None:
    """Return a file as git has it, so that patches fit; None if there is none, or it is no UTF-8 text of up to 1 MiB.

    `Tree.text` is no substitute: it redacts.
    """
    found = tree.clone.objects.read(tree.blobs[path]) if path in tree.blobs else None
    if found is None or not found.whole or b"\0" in found.data:
        return None
    try:
        return SourceFile(path, found.data.decode())
    except UnicodeDecodeError:
        return None
