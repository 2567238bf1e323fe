"""Score one answer in this process."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from openswerl.edits import FormatError, apply, diff_bodies, parse, parse_blocks
from openswerl.reward.outcome import Score
from openswerl.reward.registry import REWARDS, Settings

SMALL_CHARACTERS = 1_000_000
SMALL_LINES = 4_000_000


class Call(NamedTuple):
    """The three inputs of a scoring: path to full text before the change, path to full oracle text, model output."""

    context: dict[str, str]
    oracle: dict[str, str]
    output: str


class TooLargeError(Exception):
    """The answer may take long to score."""


def score_small(call: Call, settings: Settings) -> Score:
    """Score an answer whose cost is surely small: at most about half a second, usually milliseconds.

    Raises TooLargeError if, over the changed files, old times new lines pass 4 million or the characters of predicted
    times oracle diff pass 1 million.
    """
    return _score(call, settings, SMALL_LINES, SMALL_CHARACTERS)


def score_any(call: Call, settings: Settings) -> Score:
    """Score an answer however long it takes; the time on a big rewrite grows faster than quadratically."""
    return _score(call, settings, math.inf, math.inf)


def _score(call: Call, settings: Settings, max_lines: float, max_characters: float) -> Score:
    try:
        new = apply(call.context, parse_blocks(parse(call.output).solution))
    except FormatError as error:
        return Score(settings.format_penalty, error.reason)
    if _line_cost(call.context, new) + _line_cost(call.context, call.oracle) > max_lines:
        raise TooLargeError
    predicted, oracle = diff_bodies(call.context, new), diff_bodies(call.context, call.oracle)
    if _character_cost(predicted, oracle) > max_characters:
        raise TooLargeError
    return REWARDS[settings.kind](predicted, oracle)


def _line_cost(old: Mapping[str, str], new: Mapping[str, str]) -> int:
    pairs = ((old.get(path, ""), content) for path, content in new.items())
    return sum(a.count("\n") * b.count("\n") for a, b in pairs if a != b)


def _character_cost(predicted: Mapping[str, str], oracle: Mapping[str, str]) -> int:
    shared = predicted.keys() & oracle.keys()
    return sum(len(predicted[path]) * len(oracle[path]) for path in shared if predicted[path] != oracle[path])
