import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.mini.bases import Bases, read_file
from openswerl.evaluate.views import TaskView

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def task(tmp_path: Path) -> TaskView:
    """A repository with a file of each kind."""
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    (work / "d/a.py").write_bytes(f"x = 'é'\r\nkey = '{SECRET}'\n".encode())
    (work / "latin.py").write_bytes(b"# \xe9\n")
    (work / "zero.bin").write_bytes(b"a\0b")
    (work / "link").symlink_to("d/a.py")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(tmp_path / "a__b.git")], check=True)
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, check=True, capture_output=True, text=True)
    return TaskView("i", "a/b", done.stdout.strip(), "", "s")


def test_files_are_read_to_the_byte_and_links_are_no_files(task: TaskView, tmp_path: Path) -> None:
    with Bases(Sources(tmp_path)) as bases:
        tree = bases.tree(task)
        assert list(tree.blobs) == ["d/a.py", "latin.py", "zero.bin"]
        found = read_file(tree, "d/a.py")
        assert found is not None and found.content == f"x = 'é'\r\nkey = '{SECRET}'\n"
        assert tree.text("d/a.py") != found.content, "what is stored elsewhere is redacted"
        assert [read_file(tree, path) for path in ("latin.py", "zero.bin", "absent")] == [None] * 3


def test_a_missing_commit_or_clone_is_named(task: TaskView, tmp_path: Path) -> None:
    changes: list[Any] = [{"base_commit": "0" * 40}, {"repo": "a/absent"}]
    for change in changes:
        with pytest.raises(UserError, match=r"^i: .*make the clone again"), Bases(Sources(tmp_path)) as bases:
            bases.tree(replace(task, **change))
