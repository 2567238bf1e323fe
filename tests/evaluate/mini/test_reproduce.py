from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.mini.evidence import KeptTest
from openswerl.evaluate.mini.programs import Program
from openswerl.evaluate.mini.reproduce import Reproduction, distinct, keep_tests, last_word, resolves

SHOWS = "from calc.core import add\nprint('Issue reproduced' if add(2, 2) == 0 else 'Issue resolved')\n"
ALSO = "from calc.core import add\nprint('Issue resolved')\nif add(1, 1) != 2:\n    print('Issue reproduced')\n"
RESOLVED = "print('Issue resolved')\n"
OTHERS = ["import absent\n", "print('Other issues')\n", "while True:\n    pass\n"]


@pytest.fixture
def backend(world: Any, tmp_path: Any) -> Iterator[Cached]:
    with closing(Cached(LaptopBackend(world.sources(), "bubblewrap", 2), Store(tmp_path))) as backend:
        yield backend


def _programs(*sources: str | None) -> list[Program]:
    return [Program("i", number, source) for number, source in enumerate(sources)]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("Issue reproduced\n", "Issue reproduced"),
        ("Issue reproduced\nIssue resolved\nbye\n", "Issue resolved"),
        ("  Other issues  \n", "Other issues"),
        ("not Issue reproduced\nISSUE REPRODUCED\nIssue reproduced!\n", "silent"),
        ("", "silent"),
    ],
)
def test_the_last_sentinel_on_a_line_of_its_own_counts(output: str, said: str) -> None:
    assert last_word(Execution("exited", 1, output)) == said
    assert last_word(Execution("timeout", None, output)) == "timeout"


@pytest.mark.slow
def test_tests_that_show_the_issue_are_kept_by_frequency(world: Any, backend: Cached) -> None:
    task = world.problems()[0].task
    sources = [None, ALSO, SHOWS, RESOLVED, *OTHERS, f"# again\n{SHOWS}", SHOWS.replace("'", '"'), RESOLVED]
    kept = keep_tests(task, _programs(*sources), backend, 30)
    counts = {"issue_reproduced": 2, "issue_resolved": 1, "other_issues": 1, "silent": 1, "timeout": 1}
    assert kept == Reproduction("acme__calc-1", [KeptTest(SHOWS, 3), KeptTest(ALSO, 1)], counts)
    assert backend.ran == 6, "each different program once"
    assert keep_tests(task, _programs(*sources), backend, 1).tests == [KeptTest(SHOWS, 3)]


def test_ties_go_to_the_test_that_was_written_first() -> None:
    assert distinct(["b = 1", "a = 1", "b  = 1", "a = 1  # x", "c"]) == (["b = 1", "a = 1", "c"], [2, 2, 1])


def test_a_patch_resolves_a_test_or_not(world: Any, backend: Cached) -> None:
    problem = world.problems()[0]
    wrong = problem.gold.patch.replace("a + b", "b - a")
    assert resolves(problem.task, problem.gold.patch, ALSO, backend) is True
    assert resolves(problem.task, wrong, ALSO, backend) is False
    assert resolves(problem.task, problem.gold.patch, OTHERS[0], backend) is False
    assert resolves(problem.task, "garbage", ALSO, backend) is None
