import json
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.execution import sources
from openswerl.evaluate.execution.trees import PatchError


def test_a_graded_tree_is_the_patched_one_with_the_tests_of_the_row(world: Any) -> None:
    problem = world.problems()[0]
    bare, fixed = (world.sources().graded(problem.task, patch, problem.gold) for patch in ("", problem.gold.patch))
    assert b"a - b" in bare["calc/core.py"].data and b"a + b" in fixed["calc/core.py"].data
    assert b"test_add" in bare["tests/test_core.py"].data and b"test_add" in fixed["tests/test_core.py"].data
    assert b"test_add" not in world.sources().patched(problem.task, problem.gold.patch)["tests/test_core.py"].data


def test_the_row_overrides_what_a_patch_does_to_its_tests(world: Any) -> None:
    problem = world.problems()[0]
    spoilt = problem.gold.patch + (
        "diff --git a/tests/test_core.py b/tests/test_core.py\ndeleted file mode 100644\n--- a/tests/test_core.py\n"
        "+++ /dev/null\n@@ -1,5 +0,0 @@\n-from calc.core import name\n-\n-\n-def test_name():\n"
        "-    assert name() == 'calc'\n"
    )
    assert "tests/test_core.py" not in world.sources().patched(problem.task, spoilt)
    assert b"test_add" in world.sources().graded(problem.task, spoilt, problem.gold)["tests/test_core.py"].data


def test_a_patch_that_does_not_apply_is_not_a_benchmark_error(own_world: Any) -> None:
    problem = own_world.problems()[0]
    with pytest.raises(PatchError):
        own_world.sources().patched(problem.task, problem.gold.patch.replace("a - b", "a * b"))
    own_world.rows[0]["test_patch"] = own_world.rows[0]["test_patch"].replace("assert name", "assert eman")
    own_world.write()
    problem = own_world.problems()[0]
    with pytest.raises(UserError, match=r"acme__calc-1: test_patch does not apply .*; remove the row"):
        own_world.sources().graded(problem.task, "", problem.gold)


def test_a_missing_clone_is_named(own_world: Any) -> None:
    own_world.rows[0] |= {"repo": "acme/absent", "FAIL_TO_PASS": json.dumps(["t"])}
    own_world.write()
    with pytest.raises(UserError, match=r"acme__absent\.git is missing"):
        own_world.sources().base(own_world.problems()[0].task)


def test_instances_take_turns_with_one_tree_in_memory(world: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "KEPT_BYTES", 1)
    store, (one, other, _) = world.sources(), world.problems()
    for _ in range(2):
        assert b"a + b" in store.graded(one.task, one.gold.patch, one.gold)["calc/core.py"].data
        assert b"upper" in store.graded(other.task, other.gold.patch, other.gold)["words/case.py"].data
        assert len(store._bases) == 1
