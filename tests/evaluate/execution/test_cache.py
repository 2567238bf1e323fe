from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.actions import Action, Grading, Script, Suite
from openswerl.evaluate.execution.cache import KEPT_OUTPUT, Cached, key_of
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import NAME, Store
from openswerl.evaluate.views import TaskView

FOUND = Execution("exited", 0, "é\ud800")
COUNTING = Script("import os\nprint(os.urandom(8).hex())")


def _keys(world: Any, action: Action) -> dict[str, bytes]:
    """Keys that differ from the plain one in one thing each."""
    task = world.problems()[0].task
    return {
        "plain": key_of("e", task, "p", action),
        "environment": key_of("f", task, "p", action),
        "commit": key_of("e", replace(task, base_commit="0" * 40), "p", action),
        "repository": key_of("e", replace(task, repo="a/b"), "p", action),
        "patch": key_of("e", task, "q\ud800", action),
        "attempt": key_of("e", task, "p", action, 1),
    }


def test_the_key_tells_apart_all_that_decides_a_result(world: Any) -> None:
    golds = [Grading(problem.gold) for problem in world.problems()[:2]]
    actions: list[Action] = [*golds, Suite(("a.py",)), Suite(("a.py", "b.py")), Script("a.py"), Script("x\ud800")]
    keys = [key for action in actions for key in _keys(world, action).values()]
    assert len(set(keys)) == len(keys) == 36


def test_two_instances_of_one_base_share_what_is_not_graded(world: Any) -> None:
    task = world.problems()[0].task
    other = replace(task, instance_id="other", problem_statement="x")
    assert key_of("e", task, "p", Script("x")) == key_of("e", other, "p", Script("x"))


def test_what_was_put_is_found_by_another_process_too(tmp_path: Path) -> None:
    one, other = Store(tmp_path), Store(tmp_path)
    one.put(b"k", FOUND)
    one.put(b"k", Execution("timeout"))
    assert other.get(b"k") == FOUND and other.get(b"l") is None
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_damaged_execution_is_run_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(b"k", FOUND)
    store.put(b"other", FOUND)
    packed = dict(store._kept.find([b"k"]))[b"k"]
    for position in range(len(packed)):
        store._kept.replace(b"k", packed[:position] + bytes([packed[position] ^ 1]) + packed[position + 1 :])
        assert store.get(b"k") in (None, FOUND)  # a flip in the header's level changes nothing
        store.replace(b"k", FOUND)
    store._kept.replace(b"k", packed[:-3])
    assert store.get(b"k") is None and store.get(b"other") == FOUND
    store.put(b"k", FOUND)
    assert store.get(b"k") == FOUND


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database" * 100)
    with pytest.raises(UserError, match=r"the executions at .*sqlite cannot be used .*delete it"):
        Store(tmp_path)


def test_nothing_runs_twice_but_attempts_do(world: Any, tmp_path: Path) -> None:
    task = world.problems()[0].task
    backend = Cached(LaptopBackend(world.sources(), "bubblewrap", 5), Store(tmp_path))
    first, again, second = (backend.run(task, "", COUNTING, attempt) for attempt in (0, 0, 1))
    assert first == again != second and (backend.ran, backend.found) == (2, 1)
    backend.close()


def test_sandbox_and_time_limit_are_part_of_the_environment(world: Any) -> None:
    task, sources = world.problems()[0].task, world.sources()
    backends = [LaptopBackend(sources, kind, limit) for kind in ("bubblewrap", "process") for limit in (5, 6)]
    assert len({backend.environment(task) for backend in backends}) == 4


class Moving:
    """A backend whose environment gets another name when it first runs, as an image gets an id."""

    kind = "moving"

    def __init__(self, state: str) -> None:
        self.state, self.name, self.runs = state, "name", 0

    def environment(self, task: TaskView) -> str:
        return self.name

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        self.name, self.runs = "id", self.runs + 1
        return Execution(self.state, None, "x" * (KEPT_OUTPUT + 1))

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("state", ["exited", "timeout"])
def test_what_ran_is_found_though_its_environment_was_named_anew(world: Any, tmp_path: Path, state: str) -> None:
    task, backend = world.problems()[0].task, Moving(state)
    with closing(Cached(backend, Store(tmp_path))) as cached:
        found = [cached.run(task, "", COUNTING) for _ in range(2)]
        assert backend.runs == 1 and {one.state for one in found} == {state}
    with closing(Cached(backend, Store(tmp_path))) as cached:
        cached.run(task, "", COUNTING)
    assert backend.runs == (1 if state == "exited" else 2), "a time-out is kept for one run alone"
