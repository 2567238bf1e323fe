import difflib
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.edits import diff_bodies, diff_body, git_patch

LINE = st.sampled_from(["a", "b", "", " ", "\t", "c\r", "\x0c", "\u2028x", "@@ -1 +1 @@", "-- q", "é", "\\ No newline"])
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=12), st.sampled_from(["", "\n"]))
NAME = st.text(st.sampled_from('ab"\\ é\t\n\x7f.-'), min_size=1, max_size=6).filter(lambda name: name.strip(". "))
SIDE = st.one_of(st.none(), TEXT)


def test_body_drops_the_file_header_and_keeps_hunk_headers() -> None:
    old = "".join(f"{n}\n" for n in range(20))
    new = old.replace("3\n", "three\n", 1).replace("17\n", "")
    assert diff_body(old, new) == (
        "@@ -1,7 +1,7 @@\n 0\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n"
        "@@ -15,6 +15,5 @@\n 14\n 15\n 16\n-17\n 18\n 19"
    )  # fmt: skip


def test_line_ends_alone_are_no_difference() -> None:
    assert diff_body("x\r\ny", "x\ny\n") == ""


def test_bodies_hold_changed_files_alone() -> None:
    old = {"same": "x\n", "gone": "x\n", "untouched": "x\n"}
    assert diff_bodies(old, {"same": "x\n", "gone": "", "made": "y\n"}) == {
        "gone": "@@ -1 +0,0 @@\n-x",
        "made": "@@ -0,0 +1 @@\n+y",
    }


@given(TEXT, TEXT)
def test_body_is_that_of_the_standard_library(old: str, new: str) -> None:
    expected = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm=""))[2:]
    assert diff_body(old, new) == "\n".join(expected)


def write_all(folder: Path, files: dict[str, str | None]) -> None:
    for name, content in files.items():
        if content is not None:
            (folder / name).write_bytes(content.encode())


def apply_with_git(old: dict[str, str | None], patch: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_all(folder, old)
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=folder, input=patch.encode(), capture_output=True)
        assert done.returncode == 0, done.stderr.decode() + patch
        return {path.name: path.read_bytes().decode() for path in folder.iterdir()}


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(NAME, st.tuples(SIDE, SIDE), min_size=1, max_size=4))
def test_git_applies_the_patch(files: dict[str, tuple[str | None, str | None]]) -> None:
    old = {name: sides[0] for name, sides in files.items()}
    new = {name: sides[1] for name, sides in files.items()}
    patch = git_patch(old, new)
    if patch:
        assert apply_with_git(old, patch) == {name: content for name, content in new.items() if content is not None}
    else:
        assert old == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, "x\n"),
        (None, ""),
        ("x\n", None),
        ("", None),
        ("x", "x\n"),
        ("x\n", "x"),
        ("x\r\n", "x\n"),
        ("", "x"),
        ("x", ""),
    ],
)
def test_each_kind_of_change_applies(old: str | None, new: str | None) -> None:
    applied = apply_with_git({"a b.py": old}, git_patch({"a b.py": old}, {"a b.py": new}))
    assert applied == ({} if new is None else {"a b.py": new})


def test_patch_text_is_git_s_own() -> None:
    assert git_patch({"d/a.py": "x = 1"}, {"d/a.py": "x = 2\n", "n.py": "y\n"}) == (
        "diff --git a/d/a.py b/d/a.py\n--- a/d/a.py\n+++ b/d/a.py\n@@ -1 +1 @@\n"
        "-x = 1\n\\ No newline at end of file\n+x = 2\n"
        "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+y\n"
    )


def test_names_are_written_as_git_writes_them() -> None:
    """A tab ends a name that holds a space, which patch programs other than git need."""
    assert git_patch({"a b": "x\n"}, {"a b": "y\n"}).splitlines()[:3] == [
        "diff --git a/a b b/a b", "--- a/a b\t", "+++ b/a b\t",
    ]  # fmt: skip
    assert git_patch({}, {'a"b': ""}).splitlines()[0] == 'diff --git "a/a\\042b" "b/a\\042b"'


def test_files_that_new_does_not_name_are_left_alone() -> None:
    assert git_patch({"a.py": "x\n", "b.py": "y\n"}, {"a.py": "x\n"}) == ""
