"""Resolve rates by repository, difficulty and number of oracle files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openswerl.evaluate.mini.recall import random_recall_at
from openswerl.evaluate.mini.tree import MOST
from openswerl.evaluate.results.outcomes import Row, by_key, resolved
from openswerl.evaluate.views import Problem

DIFFICULTIES = ("<15 min fix", "15 min - 1 hour", "1-4 hours", ">4 hours")
"""The labels of SWE-bench Verified, the easiest first."""
MANY = 3


@dataclass(frozen=True)
class Facts:
    """What results are broken down by. Gold data: opened after all answers were given, never before.

    `oracle`: the files of the base that the reference fix changes. `shown`: how many files the localisation prompt
    names, 0 where none fits. `chance`: what naming 1, 2, ... of these at random finds on average.
    `difficulty`: empty where the benchmark does not say.
    """

    repo: str
    difficulty: str
    oracle: frozenset[str]
    shown: int = 0
    chance: tuple[float, ...] = ()

    @property
    def files(self) -> str:
        """The number of oracle files as a group: 0 where the fix only adds files, then 1, 2, 3+."""
        return str(len(self.oracle)) if len(self.oracle) < MANY else f"{MANY}+"


def facts_of(problem: Problem, oracle: Sequence[str], shown: Sequence[str] = ()) -> Facts:
    """Return the facts of one instance.

    `oracle` is what `views.oracle_paths` gives, `shown` the files that its localisation prompt could name.
    """
    difficulty = str(problem.gold.row.get("difficulty") or "")
    chance = tuple(random_recall_at(shown, oracle, k) or 0.0 for k in range(1, MOST + 1))
    return Facts(problem.task.repo, difficulty, frozenset(oracle), len(shown), chance)


def breakdown(rows: Sequence[Row], facts: Mapping[str, Facts]) -> dict[str, dict[str, dict[str, list[Row]]]]:
    """Return {split: {decoding: {"repository" | "difficulty" | "files": [rate of each group]}}}.

    A rate is what `outcomes.resolved` gives, with its `group`. `facts` is by instance id. Groups without a name
    (difficulty where the benchmark gives none) are left out.
    """
    return {
        split: {decoding: _groups(chosen, facts) for decoding, chosen in by_key(group, "decoding").items()}
        for split, group in by_key(rows, "split").items()
    }


def _groups(rows: Sequence[Row], facts: Mapping[str, Facts]) -> dict[str, list[Row]]:
    named = [
        {**row, "repository": own.repo, "difficulty": own.difficulty, "files": own.files}
        for row in rows
        for own in [facts[row["instance_id"]]]
    ]
    found = {key: by_key(named, key) for key in ("repository", "difficulty", "files")}
    return {
        key: [{"group": name, **resolved(groups[name])} for name in sorted(groups, key=_rank) if name]
        for key, groups in found.items()
    }


def _rank(name: str) -> tuple[int, str]:
    return (DIFFICULTIES.index(name), "") if name in DIFFICULTIES else (len(DIFFICULTIES), name)
