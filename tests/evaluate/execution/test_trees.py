import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import (
    REGULAR,
    Entry,
    PatchError,
    apply_patch,
    changed_paths,
    read_tree,
    write_tree,
)

TREE = {
    "a.py": Entry("100644", b"one\ntwo\n"),
    "d/run.sh": Entry("100755", b"#!/bin/sh\n"),
    "l": Entry("120000", b"a.py"),
}
NEW = "diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"
EDIT = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"


def _clone(folder: Path, files: Any) -> tuple[Path, str]:
    work = folder / "work"
    work.mkdir()
    for command in (["init", "-q"], ["config", "user.email", "t@example.org"], ["config", "user.name", "t"]):
        subprocess.run(["git", "-C", str(work), *command], check=True)
    write_tree(files, work)
    subprocess.run(["git", "-C", str(work), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(work), "commit", "-q", "-m", "x"], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(folder / "bare.git")], check=True)
    sha = subprocess.run(["git", "-C", str(work), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return folder / "bare.git", sha.stdout.strip()


def test_a_tree_is_read_back_as_it_was_committed(tmp_path: Path) -> None:
    files = {
        **TREE,
        "odd name é.bin": Entry("100644", bytes(range(256))),
        ".gitattributes": Entry("100644", b"* eol=crlf\n"),
    }
    assert read_tree(*_clone(tmp_path, files)) == files


def test_an_unknown_commit_or_clone_is_named(tmp_path: Path) -> None:
    clone, _ = _clone(tmp_path, TREE)
    with pytest.raises(UserError, match=r"bare\.git at 0{40}.*make the clone again"):
        read_tree(clone, "0" * 40)
    with pytest.raises(UserError, match=r"absent\.git is missing"):
        read_tree(tmp_path / "absent.git", "HEAD")


def test_a_patch_edits_creates_and_removes() -> None:
    create = (
        "diff --git a/n/new.py b/n/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/n/new.py\n@@ -0,0 +1 @@\n+x\n"
    )
    remove = "diff --git a/d/run.sh b/d/run.sh\ndeleted file mode 100755\n"
    remove += "--- a/d/run.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!/bin/sh\n"
    new = apply_patch(TREE, EDIT + create + remove)
    assert new == {"a.py": Entry("100644", b"one\nthree\n"), "n/new.py": Entry("100644", b"x\n"), "l": TREE["l"]}
    assert changed_paths(TREE, new) == ["a.py", "d/run.sh", "n/new.py"]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (EDIT.replace("-two", "-tow"), "patch failed: a.py:1"),
        (EDIT.replace("a.py", "b.py"), "b.py: No such file"),
        (NEW.replace("a.py", "../a.py"), "invalid path"),
        ("no patch at all", "No valid patches"),
        (EDIT[:-3], "corrupt patch"),
        (NEW, "already exists"),
    ],
)
def test_git_refuses_what_does_not_fit(patch: str, message: str) -> None:
    with pytest.raises(PatchError, match=message):
        apply_patch(TREE, patch)


def test_a_patch_does_not_write_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    tree = {"out": Entry("120000", str(tmp_path / "out").encode())}
    with pytest.raises(PatchError, match="beyond a symbolic link"):
        apply_patch(tree, NEW.replace("a.py", "out/f"))
    assert not os.listdir(tmp_path / "out")


def test_a_patch_applies_inside_another_repository(tmp_path: Path, monkeypatch: Any) -> None:
    """There git would skip the files in silence."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr("openswerl.evaluate.execution.trees.MEMORY", str(tmp_path))
    assert apply_patch(TREE, f"diff --git a/a.py b/a.py\n{EDIT}")["a.py"].data == b"one\nthree\n"


def test_a_patch_that_no_file_can_hold_is_refused_by_git_alone() -> None:
    tree = {"a.txt": Entry(REGULAR, b"a\n")}
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\ud800\n"
    assert apply_patch(tree, patch)["a.txt"].data == "\ud800\n".encode("utf-8", "surrogatepass")
