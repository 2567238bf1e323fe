"""The trees that tests run on: the base of an instance, a patch on it, and the tests of the row."""

from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import PatchError, Tree, apply_patch, changed_paths, read_tree
from openswerl.evaluate.harness.guard import shadows
from openswerl.evaluate.views import GoldView, Problem, TaskView


class Sources:
    """Reads bare clones below `folder`, named owner__name.git, and keeps what it read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bases: dict[tuple[str, str], Tree] = {}
        self._tests: dict[str, dict[str, Any]] = {}

    def base(self, task: TaskView) -> Tree:
        """Return the tree at the instance's base commit. Raises UserError if git cannot read it."""
        key = task.repo, task.base_commit
        if key not in self._bases:
            self._bases[key] = read_tree(self.repository(task), task.base_commit)
        return self._bases[key]

    def repository(self, task: TaskView) -> Path:
        """Return the bare clone of the instance's repository."""
        return self.folder / f"{task.repo.replace('/', '__')}.git"

    def job(self, problem: Problem, patch: str, timeout_s: int) -> dict[str, Any]:
        """Return the runner's job for a patch: the patched tree with the row's tests, and what to run.

        Test files are reset to the base before the test patch is applied, as eval_script does. Raises PatchError if
        the patch does not apply, and UserError if the test patch does not.
        """
        patched = apply_patch(self.base(problem.task), patch) if patch else self.base(problem.task)
        tests = self._test_files(problem)
        tree = {path: entry for path, entry in (patched | tests).items() if entry is not None}
        return {
            "tree": {path: [entry.mode, entry.data.decode("latin-1")] for path, entry in tree.items()},
            "arguments": ["-p", "no:cacheprovider", *problem.gold.pytest_arguments],
            "timeout_s": timeout_s,
            "own_interpreter": any(map(shadows, tree)),
        }

    def _test_files(self, problem: Problem) -> dict[str, Any]:
        """Return path to entry of every file that the test patch changes, None where it removes one."""
        gold: GoldView = problem.gold
        if gold.instance_id not in self._tests:
            base = self.base(problem.task)
            try:
                tested = apply_patch(base, gold.test_patch)
            except PatchError as error:
                raise UserError(f"{gold.instance_id}: test_patch does not apply ({error}); remove the row") from None
            self._tests[gold.instance_id] = {path: tested.get(path) for path in changed_paths(base, tested)}
        return self._tests[gold.instance_id]
