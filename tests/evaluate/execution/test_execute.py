from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.cache import Cache
from openswerl.evaluate.execution.execute import execute
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.sandbox.worker import Worker

HANG = "diff --git a/calc/core.py b/calc/core.py\n--- a/calc/core.py\n+++ b/calc/core.py\n@@ -1,2 +1,4 @@\n+while True:\n+    pass\n def add(a, b):\n     return a - b\n"  # noqa: E501
KILL = HANG.replace("+while True:\n+    pass\n", "+import os\n+os.kill(os.getppid(), 9)\n")


def _execute(world: Any, folder: Path, patches: list[tuple[int, str]]) -> Any:
    problems, said = world.problems(), []
    wanted = [(problems[number], patch) for number, patch in patches]
    with Worker("bubblewrap") as worker:
        done = execute(wanted, world.sources(), Cache(folder, "bubblewrap", 2), worker, 2, said.append)
    return done, said


def test_each_distinct_patch_runs_once_and_then_never_again(world: Any, tmp_path: Path) -> None:
    gold = [problem.gold.patch for problem in world.problems()]
    asked = [(0, gold[0]), (0, ""), (0, gold[0]), (1, gold[1]), (2, gold[0]), (0, "garbage")]
    done, said = _execute(world, tmp_path, asked)
    assert (done.run, done.cached, done.sandboxes) == (5, 0, 1)
    assert said == ["executed 5/5 patches (0 from the cache)"]
    assert {key: (found.state, found.code) for key, found in done.results.items()} == {
        ("acme__calc-1", gold[0]): ("exited", 0),
        ("acme__calc-1", ""): ("exited", 1),
        ("acme__words-2", gold[1]): ("exited", 0),
        ("acme__calc-3", gold[0]): ("exited", 0),
        ("acme__calc-1", "garbage"): ("apply_failed", None),
    }
    again, _ = _execute(world, tmp_path, asked)
    assert (again.run, again.cached, again.sandboxes) == (0, 5, 0) and again.results == done.results


def test_a_candidate_that_ends_the_sandbox_costs_no_one_else(world: Any, tmp_path: Path) -> None:
    gold = world.problems()[0].gold.patch
    done, _ = _execute(world, tmp_path, [(0, ""), (0, KILL), (0, gold)])
    assert [found.state for found in done.results.values()] == ["exited", "runner_lost", "exited"]
    assert done.sandboxes == 3, "the first, the retry alone, and one for the rest"


def test_what_depends_on_the_load_is_not_kept(world: Any, tmp_path: Path) -> None:
    for _ in range(2):
        done, _ = _execute(world, tmp_path, [(0, HANG)])
        assert done.results["acme__calc-1", HANG].state == "timeout" and done.run == 1


@pytest.mark.parametrize("change", ["patch", "row", "sandbox", "timeout", "version"])
def test_the_cache_tells_apart_all_that_decides_a_result(
    own_world: Any, tmp_path: Path, monkeypatch: Any, change: str
) -> None:
    gold, stored = own_world.problems()[0].gold, Execution("exited", 0, "é\ud800"[:1])
    Cache(tmp_path, "bubblewrap", 5).put(gold, "p", stored)
    assert Cache(tmp_path, "bubblewrap", 5).get(gold, "p") == stored
    if change == "row":
        own_world.rows[0]["PASS_TO_PASS"] = "[]"
        own_world.write()
        gold = own_world.problems()[0].gold
    if change == "version":
        monkeypatch.setattr("openswerl.evaluate.execution.cache._versions", lambda: ["other"])
    other = Cache(tmp_path, "process" if change == "sandbox" else "bubblewrap", 6 if change == "timeout" else 5)
    assert other.get(gold, "q" if change == "patch" else "p") is None


def test_a_damaged_cache_file_counts_as_absent(world: Any, tmp_path: Path) -> None:
    gold, cache = world.problems()[0].gold, Cache(tmp_path, "bubblewrap", 5)
    cache.put(gold, "p", Execution("exited", 0, "x"))
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(file.read_bytes()[:20])
    assert cache.get(gold, "p") is None
