"""The rewards of one answer, file by file, as training would have given them (paper Eq. 1 and 3.6)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from openswerl.edits import TooLargeError, rules_of
from openswerl.report.page.given import Given
from openswerl.report.rows import Outcome
from openswerl.reward.outcome import Score
from openswerl.reward.scoring import score_small
from openswerl.reward.settings import Call, Settings

KINDS = {"search_replace": ("continuous", "discrete"), "unidiff": ("unidiff",)}
"""The rewards that are shown, by the form of answer that they read."""
TOO_LARGE = "too_large"


class Reward(NamedTuple):
    """One kind of reward of an answer."""

    kind: str
    score: Score


def rewards(row: Outcome, given: Given, edits: Mapping[str, Any], form: str) -> list[Reward]:
    """Return the rewards of an answer of this form under these edit rules; none without an answer or the files.

    A malformed answer earns the paper's -1 under every kind, with its reason. What would take long to score has the
    reward None and the reason "too_large": a time limit would make equal inputs give unequal pages.
    """
    if not row.output or not row.judged:
        return []
    settings = [Settings(kind, rules_of(edits)) for kind in KINDS[form]]
    if not row.format_ok:
        return [Reward(own.kind, Score(own.format_penalty, row.reason)) for own in settings]
    call = Call(given.context, given.oracle, row.output)
    return [Reward(own.kind, _score(call, own)) for own in settings] if given.oracle else []


def _score(call: Call, settings: Settings) -> Score:
    try:
        return score_small(call, settings)
    except TooLargeError:
        return Score(None, TOO_LARGE)
