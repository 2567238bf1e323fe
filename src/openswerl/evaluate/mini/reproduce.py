"""Step 3b: keep the reproduction tests that show the issue on the base, and tell which of them a patch resolves."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from openswerl.edits import normalised_key
from openswerl.evaluate.execution.actions import Script
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.mini.evidence import KeptTest
from openswerl.evaluate.mini.programs import Program
from openswerl.evaluate.views import TaskView
from openswerl.models.step_prompts import OTHER, REPRODUCED, RESOLVED

SENTINELS = (REPRODUCED, RESOLVED, OTHER)
NO_RESULT = ("apply_failed", "infrastructure")


class Reproduction(msgspec.Struct, frozen=True):
    """The kept tests of one instance, and how many different programs came to what on the base."""

    instance_id: str
    tests: list[KeptTest]
    counts: dict[str, int]


def keep_tests(task: TaskView, programs: Sequence[Program], backend: Cached, most: int) -> Reproduction:
    """Run every different program on the base, and keep those whose last word is that the issue is there.

    Programs that differ in comments or layout alone are one, in the words of the earliest. The most frequent are kept,
    ties by first appearance, up to `most` (30 in the paper).
    """
    sources, counts = distinct([program.source for program in programs if program.source is not None])
    kept, outcomes = [], Counter[str]()
    for source, count in zip(sources, counts, strict=True):
        said = last_word(backend.run(task, "", Script(source)))
        outcomes[said] += 1
        if said == REPRODUCED:
            kept.append(KeptTest(source, count))
    best = sorted(kept, key=lambda test: -test.count)[:most]
    return Reproduction(task.instance_id, best, {_name(said): count for said, count in sorted(outcomes.items())})


def distinct(sources: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the first source of every normalised text, in order of appearance, and how many are like it."""
    keys = [normalised_key({}, {"test.py": source}) for source in sources]
    counts = Counter(keys)
    first = {key: source for key, source in zip(reversed(keys), reversed(sources), strict=True)}
    return [first[key] for key in counts], list(counts.values())


def last_word(execution: Execution) -> str:
    """Return the last sentinel that a program printed on a line of its own; else "silent", or the state it ended in."""
    if execution.state != "exited":
        return execution.state
    lines = [line.strip() for line in execution.output.splitlines()]
    return next((line for line in reversed(lines) if line in SENTINELS), "silent")


def resolves(task: TaskView, patch: str, source: str, backend: Cached) -> bool | None:
    """Tell whether a kept test says that a patch resolves the issue; None where it could not be run."""
    execution = backend.run(task, patch, Script(source))
    return None if execution.state in NO_RESULT else last_word(execution) == RESOLVED


def _name(said: str) -> str:
    return said.lower().replace(" ", "_")
