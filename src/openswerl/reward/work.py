"""What a kind of reward is given: one answer, and the tools whose cost is watched."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cydifflib import SequenceMatcher

from openswerl.edits import Edited, Notes, TooLargeError, diff_bodies, edit, git_patch, parse_patch
from openswerl.reward.settings import Call, Settings


class Budget(NamedTuple):
    """How much one step of a scoring may cost.

    `effort`: characters read and written by applying the blocks; `lines`: old times new lines of a diff; `characters`:
    characters of one text times those of another.
    """

    effort: float = math.inf
    lines: float = math.inf
    characters: float = math.inf


# At most about half a second, usually milliseconds.
SMALL = Budget(effort=2_000_000, lines=4_000_000, characters=1_000_000)


@dataclass(eq=False)
class Work:
    """One answer to be scored. Each method raises FormatError for a malformed answer, TooLargeError past the budget."""

    call: Call
    settings: Settings
    budget: Budget

    @cached_property
    def notes(self) -> Notes:
        """The edit rules, and the events that a kind itself wants counted."""
        return Notes(self.settings.rules)

    @property
    def events(self) -> tuple[str, ...]:
        """The codes of what was let through or forgiven so far."""
        edited = self.edited.events if "edited" in vars(self) else ()
        return (*edited, *self.notes.codes)

    @cached_property
    def edited(self) -> Edited:
        """The new files that a SEARCH/REPLACE answer makes."""
        return edit(self.call.context, self.call.output, self.settings.rules, self.budget.effort)

    @cached_property
    def patch(self) -> str:
        """The patch text of a unified-diff answer."""
        return parse_patch(self.call.output)[1]

    @cached_property
    def diffs(self) -> tuple[dict[str, str], dict[str, str]]:
        """Path to diff body of the predicted files and of the oracle's; the compared text of paper Eq. 1."""
        context, oracle, new = self.call.context, self.call.oracle, self.edited.new
        self._require(self.budget.lines, _line_cost(context, new) + _line_cost(context, oracle))
        return diff_bodies(context, new), diff_bodies(context, oracle)

    @cached_property
    def oracle_patch(self) -> str:
        """The oracle's change as a git patch."""
        self._require(self.budget.lines, _line_cost(self.call.context, self.call.oracle))
        return git_patch(self.call.context, self.call.oracle)

    def similarity(self, predicted: str, oracle: str) -> float:
        """Return the ratio of matching characters (paper Eq. 1). The prediction comes first: it is not symmetric."""
        if predicted == oracle:
            return 1.0
        self._require(self.budget.characters, len(predicted) * len(oracle))
        return SequenceMatcher(None, predicted, oracle, autojunk=False).ratio()

    def similarities(self, predicted: Mapping[str, str], oracle: Mapping[str, str]) -> dict[str, float]:
        """Return the similarity of every file of either side, 0.0 where one side has none."""
        both = predicted.keys() & oracle.keys()
        differing = [path for path in both if predicted[path] != oracle[path]]
        self._require(self.budget.characters, sum(len(predicted[path]) * len(oracle[path]) for path in differing))
        return {
            path: self.similarity(predicted[path], oracle[path]) if path in both else 0.0
            for path in sorted(predicted.keys() | oracle.keys())
        }

    def _require(self, budget: float, cost: float) -> None:
        if cost > budget:
            raise TooLargeError


def _line_cost(old: Mapping[str, str], new: Mapping[str, str]) -> int:
    pairs = ((old.get(path, ""), content) for path, content in new.items())
    return sum(a.count("\n") * b.count("\n") for a, b in pairs if a != b)
