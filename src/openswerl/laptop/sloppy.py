"""Answers as a base model gives them: it knows the job and has poor habits.

The rate of format faults varies with the package and the rate of wrong fixes with the kind of bug, so that greedy
decoding is at fault too for part of the prompts.
"""

import random
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from openswerl.edits import Block, minimal_blocks, render
from openswerl.laptop.bugs import find_bugs
from openswerl.laptop.tasks import BugTask


@dataclass(frozen=True)
class Habits:
    """Mean rates of broken form and of wrong fixes; `spread`: how far packages differ; no rate passes `ceiling`."""

    fault_rate: float
    wrong_rate: float
    spread: float = 1.3
    ceiling: float = 0.88

    def has_fault(self, package: str, rng: random.Random) -> bool:
        """Draw whether the form is broken."""
        return rng.random() < self._clamped(self.fault_rate + self.spread * (_leaning(package) - 0.5))

    def is_wrong(self, kind: str, rng: random.Random) -> bool:
        """Draw whether the fix is wrong."""
        return rng.random() < self._clamped(self.wrong_rate + 0.6 * (_leaning(kind) - 0.5))

    def _clamped(self, rate: float) -> float:
        return min(self.ceiling, max(0.05, rate))


def sloppy_answer(task: BugTask, rng: random.Random, habits: Habits) -> str:
    """Return an answer with these habits."""
    faulty = habits.has_fault(task.package, rng)
    wrong = habits.is_wrong(task.kind, rng)
    blocks = (_wrong_fix(task, rng) if wrong and task.bugs else None) or task.gold
    answer = render(task.thought, blocks)
    if not faulty:
        return answer
    fault = (
        FAULTS[int(_leaning(task.package) * len(FAULTS) * 5) % len(FAULTS)]
        if rng.random() < 0.8
        else rng.choice(FAULTS)
    )
    return fault(answer, blocks)


def _leaning(name: str) -> float:
    """A fixed number in [0, 1) for a package or a kind."""
    return zlib.crc32(f"{name} habit".encode()) % 97 / 97


def _wrong_fix(task: BugTask, rng: random.Random) -> list[Block] | None:
    """Return a well-formed edit that does not fix the bug, None where this way of failing is not open."""
    ways = [_another_change, _another_place, _too_much]
    way = ways[int(_leaning(task.kind) * 21) % 3] if rng.random() < 0.5 else rng.choice(ways)
    return way(task, rng)


def _another_change(task: BugTask, rng: random.Random) -> list[Block] | None:
    """The right lines, changed in another way."""
    options = [blocks for blocks in _mutants(task, rng) if blocks[0].search == task.gold[0].search]
    return rng.choice(options) if options else None


def _another_place(task: BugTask, rng: random.Random) -> list[Block] | None:
    """Some change anywhere in the broken function."""
    options = _mutants(task, rng)
    return rng.choice(options) if options else None


def _too_much(task: BugTask, rng: random.Random) -> list[Block] | None:
    """The right fix, and a needless edit of a file that was fine."""
    others = [path for path in task.modules if path not in task.bugs and path in task.task.context]
    if not others:
        return None
    old = task.task.context[others[0]]
    lines = old.split("\n")
    index = rng.choice([i for i, line in enumerate(lines) if line.strip()])
    lines[index] += "  # fixed"
    return [*task.gold, *minimal_blocks({others[0]: old}, {others[0]: "\n".join(lines)})]


def _mutants(task: BugTask, rng: random.Random) -> list[list[Block]]:
    """Edits that change the broken function in one more place."""
    path, (name, bug) = next(iter(task.bugs.items()))
    module = task.modules[path]
    gold = task.gold
    edits = [
        minimal_blocks({path: module.content}, {path: module.with_text(name, mutant.source).content})
        for mutant in find_bugs(bug.source, rng)
    ]
    return [blocks for blocks in edits if len(blocks) == 1 and blocks != gold]


def _no_think(answer: str, _: list[Block]) -> str:
    return answer.replace("<think>\n", "").replace("</think>\n", "")


def _no_fence(answer: str, _: list[Block]) -> str:
    return answer.replace("```python\n", "").replace("\n```", "")


def _no_path(answer: str, _: list[Block]) -> str:
    return re.sub(r"### \S+\n", "", answer)


def _no_close(answer: str, _: list[Block]) -> str:
    return answer.replace("\n</solution>", "")


def _prose(answer: str, blocks: list[Block]) -> str:
    text = f"In {blocks[0].path} the line should be {blocks[0].replace.strip()}"
    return f"{answer.partition('<solution>')[0]}<solution>\n{text}\n</solution>"


def _lost_indent(answer: str, blocks: list[Block]) -> str:
    stripped = "\n".join(line.strip() for line in blocks[0].search.split("\n"))
    if stripped == blocks[0].search:
        stripped += "  # bug"
    return answer.replace(f"SEARCH\n{blocks[0].search}\n", f"SEARCH\n{stripped}\n", 1)


def _bare_code(_: str, blocks: list[Block]) -> str:
    return f"```python\n{blocks[0].replace}\n```"


def _twice(answer: str, _: list[Block]) -> str:
    solution = answer.partition("</think>\n")[2]
    return f"{answer}\n{solution}"


FAULTS: list[Callable[[str, list[Block]], str]] = [
    _no_think,
    _no_fence,
    _no_path,
    _no_close,
    _prose,
    _lost_indent,
    _bare_code,
    _twice,
]
