"""Localisation questions: name the files to edit (paper appendix C).

The paper prints no prompt; this wording is ours. The list holds the paths of the instance's context, as an instance
keeps no tree of its repository.
"""

from typing import Any

from openswerl.edits import FormatError, Rules, parse
from openswerl.models.prompts import Prompt, frame
from openswerl.records import Instance, Task
from openswerl.sft.kinds import Kind

SYSTEM = (
    "You find the files to edit for an issue in a software repository. First reason step by step between <think> and "
    "</think>. Then name the files between <solution> and </solution>. Use each of these four tags exactly once."
)
INSTRUCTIONS = (
    "Which of these files must be edited to fix the issue? Write their paths exactly as they stand above, one on each "
    "line, and nothing else between the solution tags; those most surely edited come first."
)


def localisation_prompt(task: Task, form: str, hint: str = "") -> Prompt:
    """Return the question in the form `compact` or `chat`. Raises UserError for another form."""
    paths = "".join(f"{file.path}\n" for file in task.files)
    compact = f"Files:\n{paths}{hint}Which files?"
    return frame(task, form, compact, f"The files:\n```\n{paths}```\n\n{hint}{INSTRUCTIONS}", SYSTEM)


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
    thought, solution = f"The fix belongs in {' and '.join(paths)}.", "\n".join(paths)
    return f"<think>\n{thought}\n</think>\n<solution>\n{solution}\n</solution>"


def edited(instance: Instance) -> list[str]:
    """Return the paths that the oracle changes, in order of path."""
    return sorted(instance.oracle)


def fault(instance: Instance, output: str, rules: Rules) -> str | None:
    """Ask for all edited files, ranked first (paper appendix C), and for no path that is not in the list.

    Reasons: those of the tags, no_paths, unknown_path, duplicate_path, edited_not_first.
    """
    try:
        named = [line.strip() for line in parse(output).solution.split("\n") if line.strip()]
    except FormatError as error:
        return error.reason
    wanted = set(edited(instance))
    faults = {
        "no_paths": not named,
        "unknown_path": not set(named) <= instance.task.context.keys(),
        "duplicate_path": len(named) != len(set(named)),
        "edited_not_first": set(named[: len(wanted)]) != wanted,
    }
    return next((reason for reason, applies in faults.items() if applies), None)


LOCALISATION = Kind("localisation", prompt, hinted, gold, fault)
