import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.evaluate.harness.evalscript import eval_script, here_document, touched
from openswerl.evaluate.harness.specs import spec_of

TOUCHED = """diff --git a/tests/old.py b/tests/new name.py
similarity index 100%
rename from tests/old.py
rename to tests/new name.py
diff --git a/tests/gone.py b/tests/gone.py
deleted file mode 100644
--- a/tests/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/tests/data.json b/tests/data.json
new file mode 100644
--- /dev/null
+++ b/tests/data.json
@@ -0,0 +1,2 @@
+diff --git a/no b/no
+new file mode 100644
diff --git a/tests/test_a.py b/tests/test_a.py
--- a/tests/test_a.py
+++ b/tests/test_a.py
@@ -1 +1 @@
-x
+y
"""


def test_every_kind_of_change_is_read() -> None:
    found = touched(TOUCHED)
    assert found.base == ["tests/old.py", "tests/gone.py", "tests/test_a.py"]
    assert found.added == ["tests/new name.py", "tests/data.json"]
    assert found.tests == ["tests/new name.py", "tests/test_a.py"]
    assert touched("") == ([], [], [])


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")))
def test_a_here_document_gives_the_text_as_it_is(text: str) -> None:
    done = subprocess.run(["bash", "-c", here_document("cat", text)], capture_output=True)
    assert done.stdout.decode() == text.removesuffix("\n") + "\n" and not done.stderr


def test_a_text_cannot_end_its_document() -> None:
    mark = here_document("cat", "x").split("'")[1]
    text = f"a\n{mark}\nb"
    assert (
        subprocess.run(["bash", "-c", here_document("cat", text)], capture_output=True, text=True).stdout == text + "\n"
    )


@pytest.mark.slow
def test_the_script_runs_hidden_tests_and_takes_them_away(tmp_path: Path) -> None:
    """A tree with git, and the script of a row: the bug fails, the fix passes, whatever a patch did to the tests."""
    tree = tmp_path / "testbed"
    tree.mkdir()
    (tree / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (tree / "test_old.py").write_text("from calc import add\n\ndef test_zero():\n    assert add(1, 0) == 1\n")
    _git(tree, "init", "-q")
    _git(tree, "add", "-A")
    _git(tree, "commit", "-q", "-m", "base")
    (tree / "test_old.py").write_text("from calc import add\n\ndef test_zero():\n    assert add(2, 0) == 2\n")
    (tree / "test_new.py").write_text("from calc import add\n\ndef test_add():\n    assert add(2, 2) == 4\n")
    _git(tree, "add", "-AN")
    test_patch = _git(tree, "diff")
    _git(tree, "reset", "-q", "--hard")
    (tree / "test_new.py").unlink(missing_ok=True)
    script = eval_script({"test_patch": test_patch}, spec_of("pytest-dev/pytest", "7.4"))
    assert "FAILED test_new.py::test_add" in _run(script, tree)
    (tree / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (tree / "test_old.py").write_text("assert False\n")
    (tree / "test_new.py").write_text("assert False\n")
    log = _run(script, tree)
    tests = log.partition(">>>>> Start Test Output")[2].partition(">>>>> End Test Output")[0]
    assert "PASSED test_new.py::test_add" in tests and "PASSED test_old.py::test_zero" in tests
    assert (
        _git(tree, "status", "--porcelain", "-uno").split() == ["M", "calc.py"] and not (tree / "test_new.py").exists()
    )


def _run(script: str, tree: Path) -> str:
    here = script.replace("/testbed", str(tree)).replace("git config --global", "git config")
    out, err = subprocess.PIPE, subprocess.STDOUT
    return subprocess.run(["bash", "-c", here], stdout=out, stderr=err, text=True, cwd=tree).stdout


def _git(tree: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(tree), *identity, *words], check=True, capture_output=True, text=True
    ).stdout
