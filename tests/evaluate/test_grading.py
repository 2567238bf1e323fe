from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.grading import Grader
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import GoldView

HANG = "diff --git a/calc/core.py b/calc/core.py\n--- a/calc/core.py\n+++ b/calc/core.py\n@@ -1,2 +1,4 @@\n+while True:\n+    pass\n def add(a, b):\n     return a - b\n"  # noqa: E501
KILL = HANG.replace("+while True:\n+    pass\n", "+import os\n+os.kill(os.getppid(), 9)\n")


def _grade(world: Any, folder: Path, patches: Sequence[Sequence[str]], bare: bool = True) -> Any:
    """Grade the patches of each instance; returns the statuses, the counts, and how many sandboxes were started."""
    laptop = LaptopBackend(world.sources(), "bubblewrap", 2)
    answers = [
        (problem, [Candidate("sample", number, patch=patch) for number, patch in enumerate(group)])
        for problem, group in zip(world.problems(), patches, strict=False)
    ]
    with closing(Cached(laptop, Store(folder))) as backend:
        rows = Grader(backend, lambda text: None, bare).rows(answers, {}, {})
        return [row["status"] for row in rows], (backend.ran, backend.found), laptop.worker.started


def test_each_distinct_patch_runs_once_and_then_never_again(world: Any, tmp_path: Path) -> None:
    gold = [problem.gold.patch for problem in world.problems()]
    asked = [[gold[0], "", gold[0], "garbage"], [gold[1]], [gold[0]]]
    right = ["resolved", "unresolved", "resolved", "apply_failed", "resolved", "resolved"]
    assert _grade(world, tmp_path, asked) == (right, (5, 0), 1)
    assert _grade(world, tmp_path, asked) == (right, (0, 5), 0)


def test_an_empty_patch_is_run_for_the_gate_alone(world: Any, tmp_path: Path) -> None:
    assert _grade(world, tmp_path, [[""]], bare=False) == (["empty_patch"], (0, 0), 0)


def test_a_candidate_that_ends_the_sandbox_costs_no_one_else(world: Any, tmp_path: Path) -> None:
    gold = world.problems()[0].gold.patch
    statuses, _, sandboxes = _grade(world, tmp_path, [["", KILL, gold]])
    assert statuses == ["unresolved", "error", "resolved"]
    assert sandboxes == 3, "the first, the retry alone, and one for the rest"


@pytest.mark.slow
def test_what_depends_on_the_load_is_not_kept(world: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert _grade(world, tmp_path, [[HANG, HANG]])[:2] == (["timeout"] * 2, (1, 0))


def test_a_backend_that_grades_many_at_once_is_asked_once(world: Any, tmp_path: Path) -> None:
    class Together(LaptopBackend):
        calls: list[int] = []  # noqa: RUF012 - of one test

        def grade_all(self, wanted: Sequence[tuple[GoldView, str]]) -> list[Execution]:
            self.calls.append(len(wanted))
            return [Execution("exited", 1, "") for _ in wanted]

    gold = world.problems()[0].gold.patch
    answers = [(world.problems()[0], [Candidate("sample", 0, patch=gold), Candidate("sample", 1, patch=HANG)])]
    with closing(Cached(Together(world.sources(), "bubblewrap", 2), Store(tmp_path))) as backend:
        rows = Grader(backend, lambda text: None).rows(answers, {}, {})
        assert Together.calls == [2] and (backend.ran, backend.found) == (2, 2)
        assert {row["status"] for row in rows} == {"unresolved"}
