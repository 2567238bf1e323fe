"""The laptop backend in its real sandbox."""

from collections.abc import Iterator
from typing import Any

import pytest

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.actions import Grading, Script, Suite

JSON = "diff --git a/json.py b/json.py\nnew file mode 100644\n--- /dev/null\n+++ b/json.py\n@@ -0,0 +1 @@\n+x = 7\n"


@pytest.fixture(scope="module")
def backend(world: Any) -> Iterator[LaptopBackend]:
    backend = LaptopBackend(world.sources(), "bubblewrap", 5)
    yield backend
    backend.close()


def test_hidden_tests_are_seen_by_grading_alone(world: Any, backend: LaptopBackend) -> None:
    problem = world.problems()[0]
    graded = backend.run(problem.task, problem.gold.patch, Grading(problem.gold))
    own = backend.run(problem.task, problem.gold.patch, Suite(("tests/test_core.py",)))
    assert "PASSED tests/test_core.py::test_add" in graded.output and "test_add" not in own.output
    assert "PASSED tests/test_core.py::test_name" in own.output and (own.state, own.code) == ("exited", 0)


@pytest.mark.parametrize("patch", ["", JSON], ids=["forked", "own interpreter"])
@pytest.mark.parametrize(
    ("source", "code", "lines"),
    [
        ("from calc.core import add\nprint(add(2, 2))\nprint(__name__)", 0, ["0", "__main__"]),
        ("import sys\nprint('a')\nsys.exit(3)", 3, ["a"]),
        ("print('a')\nraise SystemExit", 0, ["a"]),
        ("print('a')\nraise SystemExit('b')", 1, ["b", "a"]),
        ("import os\nprint(os.path.exists('calc/core.py'), os.path.exists('program.py'))", 0, ["True False"]),
        ("import atexit, sys\natexit.register(print, 'bye')\nprint(len(sys.argv), 'é')", 0, ["1 é", "bye"]),
    ],
)
def test_a_program_runs_as_an_interpreter_would_run_it(
    world: Any, backend: LaptopBackend, patch: str, source: str, code: int, lines: list[str]
) -> None:
    found = backend.run(world.problems()[0].task, patch, Script(source))
    assert (found.state, found.code, found.output.splitlines()) == ("exited", code, lines)


def test_what_a_broken_program_printed_first_is_kept(world: Any, backend: LaptopBackend) -> None:
    for patch in ("", JSON):
        found = backend.run(world.problems()[0].task, patch, Script("print('a')\nimport absent"))
        assert found.code == 1 and "ModuleNotFoundError" in found.output and "\na\n" in f"\n{found.output}"


def test_a_module_of_the_tree_is_found_before_the_standard_one(world: Any, backend: LaptopBackend) -> None:
    assert backend.run(world.problems()[0].task, JSON, Script("import json\nprint(json.x)")).output == "7\n"
    assert backend.run(world.problems()[0].task, "", Script("import json\nprint(json.x)")).code == 1


def test_limits_hold_for_programs(world: Any, backend: LaptopBackend) -> None:
    task = world.problems()[0].task
    slow = LaptopBackend(world.sources(), "bubblewrap", 1)
    assert slow.run(task, "", Script("while True: pass")).state == "timeout"
    slow.close()
    assert backend.run(task, "", Script("while True: print('x' * 65536)")).state == "output_limit"
    assert backend.run(task, "garbage", Script("print(1)")).state == "apply_failed"
    assert backend.run(task, "", Script("print(1)")).output == "1\n"
