"""What a demonstration may be about: each kind of question has a prompt, one with a hint, an answer and a form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openswerl.edits import Rules
from openswerl.models.prompts import Prompt
from openswerl.records import Instance


@dataclass(frozen=True)
class Kind:
    """`prompt` is what training and the policy see; `hinted` shows the gold edit too, and only synthesis sees it.

    `gold` is a perfect answer. `fault` returns the reason code of an answer that the paper's form rules (appendix C)
    refuse, None for a good one. The prompts take (instance, config with `model` and `prompt`).
    """

    name: str
    prompt: Callable[[Instance, Any], Prompt]
    hinted: Callable[[Instance, Any], Prompt]
    gold: Callable[[Instance], str]
    fault: Callable[[Instance, str, Rules], str | None]
