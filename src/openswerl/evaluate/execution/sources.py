"""The trees that tests run on: the base of an instance, a patch on it, and the tests of the row."""

from collections import OrderedDict
from pathlib import Path

from openswerl.crawl.git import clone_path
from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import Entry, PatchError, Tree, apply_patch, changed_paths, read_tree
from openswerl.evaluate.views import GoldView, TaskView

KEPT_BYTES = 256 << 20


class Sources:
    """Reads bare clones below `folder`, named owner__name.git; keeps the last trees, up to 256 MiB of contents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bases: OrderedDict[tuple[str, str], Tree] = OrderedDict()
        self._patched: tuple[TaskView, str, Tree] | None = None
        self._tested: tuple[GoldView, dict[str, Entry | None]] | None = None

    def base(self, task: TaskView) -> Tree:
        """Return the tree at the instance's base commit. Raises UserError if git cannot read it."""
        key = task.repo, task.base_commit
        if key not in self._bases:
            self._bases[key] = read_tree(self.repository(task), task.base_commit)
            while len(self._bases) > 1 and sum(map(_size, self._bases.values())) > KEPT_BYTES:
                self._bases.popitem(last=False)
        self._bases.move_to_end(key)
        return self._bases[key]

    def repository(self, task: TaskView) -> Path:
        """Return the bare clone of the instance's repository."""
        return clone_path(self.folder, task.repo)

    def patched(self, task: TaskView, patch: str) -> Tree:
        """Return the base with a patch on it; the patch "" is none. Raises PatchError if it does not apply.

        The last one is kept, as one patch is run with many tests.
        """
        if not patch:
            return self.base(task)
        if self._patched is None or self._patched[:2] != (task, patch):
            self._patched = (task, patch, apply_patch(self.base(task), patch))
        return self._patched[2]

    def graded(self, task: TaskView, patch: str, gold: GoldView) -> Tree:
        """Return the patched tree with the tests of the row.

        Test files are reset to the base before the test patch is applied, as eval_script does. Raises PatchError if
        the patch does not apply, and UserError if the test patch does not.
        """
        tree: dict[str, Entry | None] = {**self.patched(task, patch)}
        if self._tested is None or self._tested[0] is not gold:
            self._tested = (gold, self._test_files(task, gold))
        return {path: entry for path, entry in (tree | self._tested[1]).items() if entry is not None}

    def _test_files(self, task: TaskView, gold: GoldView) -> dict[str, Entry | None]:
        """Return path to entry of every file that the test patch changes, None where it removes one."""
        base = self.base(task)
        try:
            tested = apply_patch(base, gold.test_patch)
        except PatchError as error:
            raise UserError(f"{gold.instance_id}: test_patch does not apply ({error}); remove the row") from None
        return {path: tested.get(path) for path in changed_paths(base, tested)}


def _size(tree: Tree) -> int:
    return sum(len(entry.data) for entry in tree.values())
