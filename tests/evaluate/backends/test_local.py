"""The local backend on a tiny repository: real builds, real sandboxes, the official grading."""

import dataclasses
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends.local import LocalBackend, open_local
from openswerl.evaluate.execution.actions import Grading, Script, Suite
from openswerl.evaluate.views import TaskView
from tiny_repository import FIXED, LIMITS, Tiny, patch


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def backend(tiny: Tiny) -> LocalBackend:
    return tiny.backend()


def _program(tiny: Tiny, backend: LocalBackend, source: str, change: str = "") -> list[str]:
    found = backend.run(tiny.problem.task, change, Script(source))
    assert (found.state, found.code) == ("exited", 0), found
    return found.output.splitlines()


def test_gold_resolves_and_the_base_does_not(tiny: Tiny, backend: LocalBackend) -> None:
    for _ in range(3):
        assert tiny.verdict(backend, "").status == "unresolved"
        resolved = tiny.verdict(backend, tiny.problem.gold.patch)
        assert resolved.status == "resolved" and resolved.report is not None
    tests = resolved.report["acme__calc-1"]["tests_status"]
    assert (tests["FAIL_TO_PASS"]["success"], tests["PASS_TO_PASS"]["success"]) == (["test_add"], ["test_name"])


def test_grading_reports_what_the_tests_printed_and_their_exit_code(tiny: Tiny, backend: LocalBackend) -> None:
    for text, code, line in (("", 1, "test_add F"), (tiny.problem.gold.patch, 0, "test_add ok")):
        found = backend.run(tiny.problem.task, text, Grading(tiny.problem.gold))
        assert (found.state, found.code) == ("exited", code)
        assert {"test_name ok", line} <= set(found.output.splitlines()) and ">>>>>" not in found.output


def test_a_suite_runs_the_tests_of_the_base_without_the_hidden_ones(tiny: Tiny, backend: LocalBackend) -> None:
    found = backend.run(tiny.problem.task, tiny.problem.gold.patch, Suite(("tests/check_core.py",)))
    assert (found.state, found.code, found.output) == ("exited", 0, "test_name ok\n")


def test_a_program_runs_in_the_root_of_the_patched_tree(tiny: Tiny, backend: LocalBackend) -> None:
    source = "import os\nfrom calc.core import add\nprint(os.getcwd(), add(2, 2))"
    assert _program(tiny, backend, source) == ["/testbed 0"]
    assert _program(tiny, backend, source, tiny.problem.gold.patch) == ["/testbed 4"]
    failed = backend.run(tiny.problem.task, "", Script("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"))
    assert (failed.state, failed.code) == ("exited", -11)
    assert backend.run(tiny.problem.task, "", Script("raise SystemExit(3)")).code == 3


def test_the_tree_has_one_commit_and_no_past(tiny: Tiny, backend: LocalBackend) -> None:
    source = """
import subprocess
for command in ("rev-list --all --count", "remote", "tag", "reflog", "status --short", "stash list"):
    done = subprocess.run(["git", *command.split()], capture_output=True, text=True)
    print(command, repr(done.stdout), done.returncode)
done = subprocess.run(["git", "cat-file", "--batch-all-objects", "--batch"], capture_output=True)
objects = done.stdout.decode("latin-1")
print("later" in objects, "a + b" in objects, "a - b" in objects)
"""
    assert _program(tiny, backend, source) == [
        "rev-list --all --count '1\\n' 0", "remote '' 0", "tag '' 0", "reflog '' 0",
        "status --short '?? openswerl_program.py\\n' 0", "stash list '' 0", "False False True",
    ]  # fmt: skip


def test_runs_do_not_see_each_other(tiny: Tiny, backend: LocalBackend) -> None:
    source = "import os\nfor f in ('/testbed', '/tmp', '/dev/shm', os.environ['HOME']):\n    open(f + '/left', 'x')"
    assert _program(tiny, backend, source) == _program(tiny, backend, source) == []


def test_a_patch_that_does_not_apply_is_told_with_gits_reason(tiny: Tiny, backend: LocalBackend) -> None:
    found = backend.run(tiny.problem.task, patch("calc/core.py", "x = 1\n", old="y = 1\n"), Script(""))
    assert (found.state, found.code, found.output) == ("apply_failed", None, "error: patch failed: calc/core.py:1")
    outside = patch("../escaped.py", "x = 1\n", old="")
    assert backend.run(tiny.problem.task, outside, Script("")).state == "apply_failed"


def test_edits_of_the_recipe_are_committed_and_a_patch_is_merged_with_them(tiny: Tiny) -> None:
    """The edit is in the context of the patch, so that `git apply` alone refuses it."""
    edited = tiny.backend(pre_install=("sed -i 's/MARK = 1/MARK = 2/' calc/core.py",))
    source = "from calc.core import MARK, add\nprint(MARK, add(2, 2))"
    assert _program(tiny, edited, source) == ["2 0"]
    assert _program(tiny, edited, source, tiny.problem.gold.patch) == ["2 4"]
    assert tiny.verdict(edited, tiny.problem.gold.patch).status == "resolved"


def test_a_change_in_the_second_of_the_build_takes_effect(tiny: Tiny, backend: LocalBackend) -> None:
    """Python knows a compiled module by second and size, git a file of the tree; the patch keeps the size."""
    source = """
import os, subprocess
from calc.core import add
print(add(2, 2), os.stat("calc/core.py").st_mtime > os.stat("calc/__init__.py").st_mtime == 946684800)
print(subprocess.run(["git", "diff", "--name-only", "HEAD"], capture_output=True, text=True).stdout.strip())
"""
    assert _program(tiny, backend, source, tiny.problem.gold.patch) == ["4 True", "calc/core.py"]


def test_a_hanging_program_is_ended(tiny: Tiny, backend: LocalBackend) -> None:
    hasty = LocalBackend(backend.environments, dataclasses.replace(LIMITS, timeout_s=1))
    found = hasty.run(tiny.problem.task, "", Script("print('a', flush=True)\nwhile True:\n    pass"))
    assert (found.state, found.code, found.output) == ("timeout", None, "a\n")


def test_an_environment_is_built_once_and_named_by_all_that_made_it(tiny: Tiny, backend: LocalBackend) -> None:
    task = tiny.problem.task
    backend.run(task, "", Script(""))
    again = tiny.backend()
    assert again.run(task, "", Script("")).state == "exited" and tiny.said == []
    assert again.environment(task) == backend.environment(task)
    other = dataclasses.replace(LIMITS, timeout_s=2)
    different = [tiny.backend(other), tiny.backend(setup=("true",)), tiny.backend(packages=("a",))]
    assert [found.environment(task) == backend.environment(task) for found in different] == [False] * 3
    moved = dataclasses.replace(task, base_commit="0" * 40)
    assert backend.environment(moved) != backend.environment(task)


def test_a_failing_install_is_no_verdict_and_is_tried_once(tiny: Tiny) -> None:
    failing = tiny.backend(pre_install=("echo no compiler; exit 1",))
    for _ in range(2):
        found = failing.run(tiny.problem.task, tiny.problem.gold.patch, Grading(tiny.problem.gold))
        assert found.state == "infrastructure" and "cannot be built" in found.output
    assert len(tiny.said) == 1
    log = Path(found.output.rpartition("; see ")[2])
    assert "no compiler" in log.read_text()
    assert tiny.verdict(failing, tiny.problem.gold.patch).status == "infrastructure"


def test_a_missing_interpreter_is_no_verdict(tiny: Tiny) -> None:
    for change in ({"python": "3.99"}, {"places": ("/nonexistent/python{version}",)}):
        found = tiny.backend(**change).run(tiny.problem.task, "", Script(""))
        assert found.state == "infrastructure" and found.output.startswith("no CPython 3.")


def test_code_that_needs_a_compiler_is_no_verdict(tiny: Tiny) -> None:
    compiled = tiny.backend(reinstall="python setup.py build_ext")
    change = patch("calc/fast.pyx", "x = 1\n")
    assert compiled.run(tiny.problem.task, change, Script("")).state == "infrastructure"
    assert compiled.run(tiny.problem.task, patch("calc/core.py", FIXED), Script("")).state == "exited"


def test_a_missing_clone_says_how_to_make_it(tiny: Tiny) -> None:
    other = dataclasses.replace(tiny.problem.task, repo="acme/other")
    with pytest.raises(UserError, match=r"acme__other\.git is no clone; make it: git clone --bare https://"):
        tiny.backend().run(other, "", Script(""))
    lacking: TaskView = dataclasses.replace(tiny.problem.task, base_commit="0" * 40)
    with pytest.raises(UserError, match=r"acme__calc\.git lacks 0000"):
        tiny.backend().run(lacking, "", Script(""))


def test_a_plain_process_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"needs evaluate\.sandbox=bubblewrap, not process"):
        open_local(tmp_path, tmp_path, "process", 1, print)
    assert open_local(tmp_path / "new", tmp_path, "bubblewrap", 7, print).limits.timeout_s == 7
