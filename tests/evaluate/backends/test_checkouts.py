"""Trees of clones, by real git."""

import os
import subprocess
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends.checkouts import checkout, clone_of


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clones" / "a__b"
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    (folder / "tool").write_text("#!/bin/sh\n")
    (folder / "tool").chmod(0o755)
    (folder / "link").symlink_to("tool")
    (folder / "ä b").write_bytes(b"\r\n\xff")
    (folder / ".gitattributes").write_text("ä* export-ignore\n* filter=evil\n")
    _git(folder, "config", "filter.evil.smudge", f"touch {tmp_path}/evil")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "x")
    (folder / ".git/hooks").mkdir(exist_ok=True)
    (folder / ".git/hooks/post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/evil\n")
    (folder / ".git/hooks/post-checkout").chmod(0o755)
    return folder


def test_a_tree_comes_over_whole_and_nothing_of_the_clone_runs(clone: Path, tmp_path: Path) -> None:
    before = sorted(path for path in clone.rglob("*"))
    commit = _git(clone, "rev-parse", "HEAD")
    checkout(clone / ".git", commit, tmp_path / "tree")
    made = tmp_path / "tree"
    assert sorted(path.name for path in made.iterdir()) == [".git", ".gitattributes", "link", "tool", "ä b"]
    assert (made / "ä b").read_bytes() == b"\r\n\xff" and os.readlink(made / "link") == "tool"
    assert os.access(made / "tool", os.X_OK) and not (tmp_path / "evil").exists()
    assert _git(made, "write-tree") == _git(clone, "rev-parse", "HEAD^{tree}")
    assert subprocess.run(["git", "-C", str(made), "rev-parse", "-q", "--verify", "HEAD"]).returncode
    assert sorted(path for path in clone.rglob("*")) == before


def test_a_clone_is_found_by_name_be_it_bare_or_not(clone: Path) -> None:
    bare = clone.parent / "c__d.git"
    _git(clone, "clone", "-q", "--bare", str(clone), str(bare))
    assert clone_of(clone.parent, "c/d") == bare
    clone.rename(clone.parent / "x__y.git")
    assert clone_of(clone.parent, "x/y") == clone.parent / "x__y.git" / ".git"
    with pytest.raises(UserError, match=r"e__f\.git is no clone; make it: git clone --bare https://github.com/e/f "):
        clone_of(clone.parent, "e/f")


def test_a_commit_that_the_clone_lacks_is_told(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"lacks 0{40} "):
        checkout(clone / ".git", "0" * 40, tmp_path / "tree")
