"""Weighted sum of other rewards; beyond the paper."""

import math
from collections.abc import Mapping
from typing import Any

from openswerl.errors import UserError
from openswerl.reward.outcome import Value
from openswerl.reward.registry import answer_of, check_options, kind_of
from openswerl.reward.work import Work

ANSWER = "search_replace"
PARTS = "parts"


def reward(work: Work) -> Value:
    """Return the sum of the parts' rewards by `options.parts`, {kind: weight}, and the first part's file scores.

    An answer that one part calls malformed earns the format penalty, and one that a part cannot score is not scored.
    """
    values = {name: kind_of(name).reward(work) for name in work.settings.options[PARTS]}
    total = sum(weight * values[name].reward for name, weight in work.settings.options[PARTS].items())
    return Value(total, next((value.files for value in values.values() if value.files), {}))


def check(options: Mapping[str, Any]) -> None:
    """Raise UserError unless the parts read the same form of answer and their weights are positive and sum to 1."""
    parts = options.get(PARTS) or {}
    if not all(weight > 0 for weight in parts.values()) or not math.isclose(sum(parts.values()), 1.0):
        raise UserError(f"reward.options.parts={dict(parts)}: weights must be positive and sum to 1")
    if wrong := [name for name in parts if answer_of(name) != ANSWER]:
        raise UserError(f"reward.options.parts has {', '.join(wrong)}, which read no {ANSWER} answers; remove them")
    rest = {name: value for name, value in options.items() if name != PARTS}
    taken = [name for name in parts if hasattr(kind_of(name), "check")]
    for name in taken:
        check_options(name, rest)
    if rest and not taken:
        raise UserError(f"reward.options has {', '.join(rest)}, which no part of reward.options.parts reads")
