from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.regression import Regression, Selector, failures, without
from openswerl.rollout import Completion

FLAKY = """\
import os
import pytest
from pkg.core import add

def test_always():
    assert add(1, 0) == 1

def test_never():
    assert add(2, 2) == 4

def test_by_chance():
    assert {flag}

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_known():
    assert 0
"""
BASE = {"pkg/core.py": "def add(a, b):\n    return a - b\n", "pkg/__init__.py": ""}
ALWAYS = "tests/test_core.py::test_always"


def _world(own_world: Any, tests: dict[str, str]) -> Any:
    told = {key: own_world.rows[0][key] for key in ("split", "problem_statement", "FAIL_TO_PASS")}
    fixed = {"pkg/core.py": BASE["pkg/core.py"].replace("a - b", "a + b")}
    own_world.add("acme/pkg", BASE | tests, fixed, {"t.py": "x\n"}, instance_id="acme__pkg-1", **told)
    own_world.rows.insert(0, own_world.rows.pop())
    own_world.write()
    return own_world.problems()[0]


@pytest.fixture
def cached(own_world: Any, tmp_path: Any) -> Iterator[Cached]:
    with closing(Cached(LaptopBackend(own_world.sources(), "bubblewrap", 2), Store(tmp_path / "c"))) as backend:
        yield backend


def _select(world: Any, backend: Cached, task: Any, runs: int = 2, most: int = 3, names: Any = None) -> Regression:
    modules = {task.instance_id: ["pkg/core.py"]}
    with Bases(world.sources()) as bases:
        (row,) = Selector(bases, backend, modules, most, runs, 0, "compact", None, names).rows([task])
        return row


def test_tests_that_pass_in_every_run_on_the_base_are_kept(own_world: Any, cached: Cached) -> None:
    """Of 24 runs, one test passes in about half."""
    problem = _world(own_world, {"tests/test_core.py": FLAKY.format(flag="os.urandom(1)[0] % 2")})
    row = _select(own_world, cached, problem.task, runs=24)
    assert row.tests == [ALWAYS] and row.unstable == 1 and row.reason is None
    assert cached.ran == 24, "the same action is really run again"


def test_failures_are_kept_tests_that_do_not_pass_with_a_patch(own_world: Any, cached: Cached) -> None:
    tests = FLAKY.format(flag="add(0, 1) == -1")
    problem = _world(own_world, {"tests/test_core.py": tests})
    kept = _select(own_world, cached, problem.task)
    assert [test.partition("::")[2] for test in kept.tests] == ["test_always", "test_by_chance"]
    assert failures(problem.task, problem.gold.patch, kept, cached) == 1
    broken = problem.gold.patch.replace("a + b", "a +")
    assert failures(problem.task, broken, kept, cached) == 2
    hangs = problem.gold.patch.replace("+    return a + b", "+    while True: pass")
    assert failures(problem.task, hangs, kept, cached) is None
    assert failures(problem.task, "garbage", kept, cached) is None
    assert failures(problem.task, "garbage", Regression("i", [], []), cached) == 0, "nothing to run"


@pytest.mark.slow
def test_fewer_files_are_run_where_all_of_them_do_not_end(own_world: Any, cached: Cached) -> None:
    slow = "from pkg import core\nimport time\n\ndef test_slow():\n    time.sleep(9)\n"
    tests = {"tests/test_core.py": FLAKY.format(flag=0), "tests/test_a.py": slow, "tests/test_b.py": slow}
    problem = _world(own_world, tests)
    row = _select(own_world, cached, problem.task)
    assert (row.files, row.tests) == (["tests/test_core.py"], [ALWAYS])
    alone = _select(own_world, cached, problem.task, names={"acme__pkg-1": ["tests/test_a.py", "absent.py"]})
    assert (alone.files, alone.tests, alone.reason) == (["tests/test_a.py"], [], "timeout")


@pytest.mark.parametrize(
    ("tests", "reason"), [({}, "no_test_files"), ({"tests/test_core.py": "import absent\n"}, "none_passes")]
)
def test_without_files_or_passing_tests_there_is_a_reason(
    own_world: Any, cached: Cached, tests: dict[str, str], reason: str
) -> None:
    row = _select(own_world, cached, _world(own_world, tests).task)
    assert (row.tests, row.reason) == ([], reason)


@pytest.mark.parametrize(
    ("solution", "left"),
    [
        ("### b\n### x", ["a", "c"]),
        ("none", ["a", "b", "c"]),
        ("### a\n### b\n### c", []),
    ],
)
def test_a_model_takes_tests_out_by_their_exact_names(solution: str, left: list[str]) -> None:
    row = Regression("i", ["t.py"], ["a", "b", "c"])
    text = f"<think>\nx\n</think>\n<solution>\n{solution}\n</solution>"
    found = without(row, Completion(text, [], True))
    assert (found.tests, found.excluded) == (left, 3 - len(left))
    unfinished, unreadable = without(row, Completion(text, [], False)), without(row, Completion("no tags", [], True))
    assert (unfinished.tests, unfinished.fault) == (row.tests, "unfinished")
    assert (unreadable.tests, unreadable.fault) == (row.tests, "missing_tag")
    assert without(row, Completion("", [], False, fault="too_slow")) == Regression(
        "i", ["t.py"], ["a", "b", "c"], fault="too_slow"
    )
