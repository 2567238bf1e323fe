import json
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import PatchError


def _content(job: dict[str, Any], path: str) -> str:
    return str(job["tree"][path][1])


def test_a_job_holds_the_patched_tree_with_the_tests_of_the_row(world: Any) -> None:
    problem = world.problems()[0]
    bare, fixed = (world.sources().job(problem, patch, 7) for patch in ("", problem.gold.patch))
    assert "a - b" in _content(bare, "calc/core.py") and "a + b" in _content(fixed, "calc/core.py")
    assert "test_add" in _content(bare, "tests/test_core.py") and "test_add" in _content(fixed, "tests/test_core.py")
    assert fixed["arguments"] == ["-p", "no:cacheprovider", "-rA", "tests/test_core.py"]
    assert (fixed["timeout_s"], fixed["own_interpreter"]) == (7, False)


def test_the_row_overrides_what_a_patch_does_to_its_tests(world: Any) -> None:
    problem = world.problems()[0]
    spoilt = problem.gold.patch + (
        "diff --git a/tests/test_core.py b/tests/test_core.py\ndeleted file mode 100644\n--- a/tests/test_core.py\n"
        "+++ /dev/null\n@@ -1,5 +0,0 @@\n-from calc.core import name\n-\n-\n-def test_name():\n"
        "-    assert name() == 'calc'\n"
    )
    job = world.sources().job(problem, spoilt, 7)
    assert "test_add" in _content(job, "tests/test_core.py")


def test_a_tree_with_a_module_named_like_a_standard_one_gets_its_own_interpreter(world: Any) -> None:
    problem = world.problems()[0]
    patch = "diff --git a/json.py b/json.py\nnew file mode 100644\n--- /dev/null\n+++ b/json.py\n@@ -0,0 +1 @@\n+x\n"
    assert world.sources().job(problem, patch, 7)["own_interpreter"]


def test_a_patch_that_does_not_apply_is_not_a_benchmark_error(own_world: Any) -> None:
    problem = own_world.problems()[0]
    with pytest.raises(PatchError):
        own_world.sources().job(problem, problem.gold.patch.replace("a - b", "a * b"), 7)
    own_world.rows[0]["test_patch"] = own_world.rows[0]["test_patch"].replace("assert name", "assert eman")
    own_world.write()
    with pytest.raises(UserError, match=r"acme__calc-1: test_patch does not apply .*; remove the row"):
        own_world.sources().job(own_world.problems()[0], "", 7)


def test_a_missing_clone_is_named(own_world: Any) -> None:
    own_world.rows[0] |= {"repo": "acme/absent", "FAIL_TO_PASS": json.dumps(["t"])}
    own_world.write()
    with pytest.raises(UserError, match=r"acme__absent\.git is missing"):
        own_world.sources().base(own_world.problems()[0].task)
