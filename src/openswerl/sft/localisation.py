"""Localisation questions: name the files to edit (paper appendix C).

The paper prints no prompt; it is that of Agentless Mini's first step. The list holds the paths of the instance's
context, as an instance keeps no tree of its repository.
"""

from typing import Any

from openswerl.edits import FormatError, Rules, parse
from openswerl.evaluate.mini.tree import MOST
from openswerl.models.prompts import Prompt
from openswerl.models.step_prompts import localise_prompt, name_files, named
from openswerl.records import Instance, Task
from openswerl.sft.kinds import Kind


def localisation_prompt(task: Task, form: str, hint: str = "") -> Prompt:
    """Return the question in the form `compact` or `chat`. Raises UserError for another form."""
    paths = "\n".join(file.path for file in task.files)
    return localise_prompt(task.problem_statement, paths, MOST, form, hint)


def prompt(instance: Instance, cfg: Any) -> Prompt:
    """Return the question."""
    return localisation_prompt(instance.task, cfg.model.prompt)


def hinted(instance: Instance, cfg: Any) -> Prompt:
    """Return the question with the edited files as hint."""
    hint = f"Hint: the fix edits {' and '.join(edited(instance))}.\n"
    return localisation_prompt(instance.task, cfg.model.prompt, hint)


def gold(instance: Instance) -> str:
    """Return the edited files as an answer."""
    paths = edited(instance)
    return f"<think>\nThe fix belongs in {' and '.join(paths)}.\n</think>\n<solution>\n{name_files(paths)}\n</solution>"


def edited(instance: Instance) -> list[str]:
    """Return the paths that the oracle changes, in order of path."""
    return sorted(instance.oracle)


def fault(instance: Instance, output: str, rules: Rules) -> str | None:
    """Ask for all edited files, ranked first (paper appendix C), and for no path that is not in the list.

    Reasons: those of the tags, no_paths, unknown_path, duplicate_path, edited_not_first.
    """
    try:
        paths = named(parse(output).solution)
    except FormatError as error:
        return error.reason
    wanted = set(edited(instance))
    faults = {
        "no_paths": not paths,
        "unknown_path": not set(paths) <= instance.task.context.keys(),
        "duplicate_path": len(paths) != len(set(paths)),
        "edited_not_first": set(paths[: len(wanted)]) != wanted,
    }
    return next((reason for reason, applies in faults.items() if applies), None)


LOCALISATION = Kind("localisation", prompt, hinted, gold, fault)
