"""Editing questions: repair the files that are shown, as in GRPO and evaluation."""

from typing import Any

from openswerl.edits import Block, FormatError, Rules, edit, minimal_blocks
from openswerl.models.prompts import Prompt, hinted_prompt, prompt_of
from openswerl.records import Instance
from openswerl.reward import golden_answer
from openswerl.sft.kinds import Kind


def gold_edit(instance: Instance) -> list[Block]:
    """Return the oracle as SEARCH/REPLACE blocks."""
    return minimal_blocks(instance.task.context, instance.oracle)


def hinted(instance: Instance, cfg: Any) -> Prompt:
    """Return the repair prompt with the gold edit as hint (paper appendix C)."""
    return hinted_prompt(instance.task, gold_edit(instance), cfg.model.prompt, cfg.prompt.answer)


def gold(instance: Instance) -> str:
    """Return the oracle as an answer."""
    places = " and ".join(dict.fromkeys(block.path for block in gold_edit(instance)))
    return golden_answer(instance, "search_replace", f"The fix belongs in {places}.")


def fault(instance: Instance, output: str, rules: Rules) -> str | None:
    """Ask for well-formed blocks whose paths and SEARCH texts match the files (paper appendix C).

    No similarity is asked for, as the paper states none. Reasons: those of `edit`, and unknown_path.
    """
    context = instance.task.context
    try:
        new = edit(context, output, rules).new
    except FormatError as error:
        return error.reason
    return None if new.keys() <= context.keys() else "unknown_path"


EDITING = Kind("editing", prompt_of, hinted, gold, fault)
