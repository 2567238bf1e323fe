"""Real answers to look at. All of it is untrusted text: it is made visible here and escaped by the page."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from openswerl.report.rows import Rollout

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
    return _cut(text, _roles)


def plain(text: str) -> list[Line]:
    """Split a text without roles, cut as `lines` cuts."""
    return _cut(text, lambda rows: (Line("plain", row) for row in rows))


def diff(text: str) -> list[Line]:
    """Split a git patch into lines with roles, cut as `lines` cuts; object ids, which say nothing, are left out."""
    return _cut(text.removesuffix("\n"), _changes)


def _cut(text: str, roles: Callable[[Sequence[str]], Iterable[Line]]) -> list[Line]:
    kept = text[:MAX_CHARACTERS].split("\n")[:MAX_LINES]
    left = len(text) - len("\n".join(kept))
    return [*roles(kept), *([Line("mark", f"\u2026 {left:,} more characters")] if left > 0 else [])]


def _changes(rows: Iterable[str]) -> Iterable[Line]:
    """Headers are those lines before the first hunk of a file: inside a hunk, `--- x` is a removed line `-- x`."""
    inside = False
    for row in rows:
        inside = (inside or row.startswith("@@")) and not row.startswith("diff --git ")
        kinds = {"-": "search", "+": "replace", "@": "mark"} if inside else {}
        if inside or not row.startswith("index "):
            yield Line(kinds.get(row[:1], "plain" if inside else "mark"), row)


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
