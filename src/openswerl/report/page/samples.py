"""Real answers to look at. All of it is untrusted text: it is made visible here and escaped by the page."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openswerl.report.inputs import Evaluation
from openswerl.report.rows import Outcome, Rollout

MAX_LINES = 60
MAX_CHARACTERS = 4000
MARKERS = {"<<<<<<< SEARCH": "search", "=======": "replace", ">>>>>>> REPLACE": "plain"}


@dataclass(frozen=True)
class Line:
    """One printed line and its role: plain, tag, mark, search or replace."""

    kind: str
    text: str


def visible(text: str) -> str:
    """Replace characters that would hide or reorder text: controls, bidirectional marks, private separators."""
    return "".join(character if character in "\n\t" else _shown(character) for character in text)


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return f"\u27e8U+{code:04X}\u27e9"
    return character


def lines(text: str) -> list[Line]:
    """Split an answer into lines with roles; what exceeds 60 lines or 4,000 characters is cut, and the cut is said."""
    cut = text[:MAX_CHARACTERS].split("\n")
    kept = cut[:MAX_LINES]
    shown = list(_roles(kept))
    left = len(text) - len("\n".join(kept))
    return [*shown, Line("mark", f"\u2026 {left:,} more characters")] if left > 0 else shown


def _roles(rows: Iterable[str]) -> Iterable[Line]:
    inside = "plain"
    for row in rows:
        if row in MARKERS and (row != "=======" or inside == "search"):
            inside = MARKERS[row]
            yield Line("mark", row)
        elif row.strip() in ("<think>", "</think>", "<solution>", "</solution>"):
            yield Line("tag", row)
        else:
            yield Line(inside, row)


@dataclass(frozen=True)
class Shelf:
    """Rollouts of one kind."""

    title: str
    rollouts: list[Rollout]


def shelves(rollouts: Sequence[Rollout], count: int) -> list[Shelf]:
    """Choose up to `count` rollouts of the later half of training: high reward, middle reward, format error."""
    steps = sorted({row.step for row in rollouts})
    late = [row for row in rollouts if row.step >= steps[len(steps) // 2]]
    scored = sorted(((row.reward, row) for row in late if row.reward is not None), key=_by_reward)
    best = [row for reward, row in scored if reward == scored[0][0] >= 0]
    middle = sorted((pair for pair in scored if 0 <= pair[0] < scored[0][0]), key=lambda pair: abs(pair[0] - 0.5))
    broken = sorted((row for reward, row in scored if reward < 0), key=lambda row: (row.step, row.sample))
    kinds = [("Highest reward", best), ("Middle reward", [row for _, row in middle]), ("Format error", broken)]
    each = max(1, count // len(kinds))
    return [Shelf(title, _distinct(rows, each)) for title, rows in kinds if rows]


def _by_reward(pair: tuple[float, Rollout]) -> tuple[float, int, int]:
    return -pair[0], pair[1].step, pair[1].sample


def _distinct(rows: Iterable[Rollout], count: int) -> list[Rollout]:
    """Return the first `count` rollouts of different instances and different failures."""
    found: dict[str, Rollout] = {}
    reasons: set[str | None] = set()
    for row in rows:
        if row.instance_id not in found and (row.reason is None or row.reason not in reasons):
            found[row.instance_id] = row
            reasons.add(row.reason)
    return list(found.values())[:count]


def one_instance(evaluations: Sequence[Evaluation], split: str) -> list[tuple[str, Outcome]]:
    """Return every policy's greedy answer to one instance: the first on which most kinds of outcome occur."""
    first = [item for item in evaluations if item.seed == evaluations[0].seed]
    answers = [(item.policy, {row.instance_id: row for row in item.select("greedy", split)}) for item in first]
    names = sorted(answers[0][1])
    if not names:
        return []
    best = max(names, key=lambda name: len({rows[name].status for _, rows in answers}))
    return [(policy, rows[best]) for policy, rows in answers]
