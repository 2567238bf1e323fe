"""Weighted sum of other rewards; beyond the paper."""

import math
from collections.abc import Mapping
from typing import Any

from openswerl.errors import UserError
from openswerl.reward.outcome import Value
from openswerl.reward.registry import answer_of, check_options, is_finite, kind_of, value_of
from openswerl.reward.work import Work

ANSWER = "search_replace"
PARTS = "parts"


def reward(work: Work) -> Value:
    """Return the mean of the parts' rewards by `options.parts`, {kind: weight}, and the first part's file scores.

    It is 1 if all parts are, whatever the weights: both sums round the same exact number.
    An answer that one part calls malformed earns the format penalty, and one that a part cannot score is not scored.
    """
    parts: Mapping[str, float] = work.settings.options[PARTS]
    values = {name: value_of(name, work) for name in parts}
    total = math.fsum(weight * values[name].reward for name, weight in parts.items())
    return Value(total / math.fsum(parts.values()), next((value.files for value in values.values() if value.files), {}))


def check(options: Mapping[str, Any]) -> None:
    """Raise UserError unless the parts read the same form of answer and their weights are positive and sum to 1."""
    parts = options.get(PARTS) or {}
    if not isinstance(parts, Mapping) or not _are_weights(list(parts.values())):
        raise UserError(f"reward.options.parts={parts}: weights must be positive numbers that sum to 1")
    if wrong := [name for name in parts if answer_of(name) != ANSWER]:
        raise UserError(f"reward.options.parts has {', '.join(wrong)}, which read no {ANSWER} answers; remove them")
    rest = {name: value for name, value in options.items() if name != PARTS}
    taken = [name for name in parts if hasattr(kind_of(name), "check")]
    for name in taken:
        check_options(name, rest)
    if rest and not taken:
        raise UserError(f"reward.options has {', '.join(rest)}, which no part of reward.options.parts reads")


def _are_weights(values: list[Any]) -> bool:
    return all(is_finite(value) and value > 0 for value in values) and math.isclose(math.fsum(values), 1.0)
