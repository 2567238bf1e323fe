"""How a policy is asked for a repair, and how its answer becomes new files."""

from typing import NamedTuple

from openswerl.edits import FormatError, Rules, edit, parse_patch
from openswerl.evaluate.execution.trees import REGULAR, SYMLINK, Entry, PatchError, apply_patch, changed_paths
from openswerl.models.prompts import Prompt, repair_prompt
from openswerl.records import Task

NAMES = ("utf-8", "surrogatepass")


class Asking(NamedTuple):
    """The prompt's form, the form of answer that it asks for, and the edit rules: those of training."""

    form: str
    answer: str
    rules: Rules

    def prompt(self, task: Task) -> Prompt:
        """Return the repair prompt of a task."""
        return repair_prompt(task, self.form, self.answer)


def read(task: Task, text: str, asking: Asking) -> dict[str, str | None]:
    """Return the new content of every file that an answer touches; None where it removes one.

    A unified diff must apply to the shown files by `git apply`, else it is a format error. Raises FormatError.
    """
    if asking.answer == "search_replace":
        return dict(edit(task.context, text, asking.rules).new)
    old = {file.path: Entry(REGULAR, file.content.encode(*NAMES)) for file in task.files}
    try:
        new = apply_patch(old, parse_patch(text)[1])
    except PatchError as error:
        raise FormatError("patch_does_not_apply", str(error)) from None
    return {path: _text(new.get(path)) for path in changed_paths(old, new)}


def _text(entry: Entry | None) -> str | None:
    if entry is not None and entry.mode == SYMLINK:
        raise FormatError("patch_does_not_apply", "the patch makes a symbolic link")
    return None if entry is None else entry.data.decode("utf-8", "replace")
