import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from crawl.world import DIFF, Work, run_git
from curate.pulls import diff_of
from openswerl.curate.hunks import parse_hunks, patch_key

NASTY = st.sampled_from(
    [
        "",
        " ",
        "-- a/x",
        "++ b/x",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "\\ No newline at end of file",
        "a",
        "b",
        "\r",
        "\x0c",
        "é",
    ]
)


@given(old=st.lists(NASTY, max_size=12), new=st.lists(NASTY, max_size=12), ends=st.tuples(st.booleans(), st.booleans()))
@settings(max_examples=25, deadline=None)
def test_hunks_of_real_diffs_hold_every_changed_line(old, new, ends):
    sides = ["\n".join(lines) + "\n" * end for lines, end in zip((old, new), ends, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "w")
        before = work.commit({"d/f.py": sides[0], "z": "1\n"})
        after = work.commit({"d/f.py": sides[1], "z": "2\n"}, before)
        diff = run_git(work.folder, *DIFF, before, after).decode()
        numstat = run_git(work.folder, "diff", "--numstat", before, after).decode().split("\n")[:-1]
    counts = {line.split("\t")[2]: tuple(map(int, line.split("\t")[:2])) for line in numstat}
    found = {path: (0, 0) for path in counts}
    for hunk in parse_hunks(diff):
        plus, minus = found[hunk.path]
        found[hunk.path] = plus + len(hunk.changed("+")), minus + len(hunk.changed("-"))
    assert found == counts


def test_paths_of_new_removed_and_quoted_files():
    new = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
    gone = "diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    spaced = "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-x\n+y\n"
    header = 'diff --git "a/\\303\\251" "b/\\303\\251"\n--- "a/\\303\\251"\n+++ "b/\\303\\251"\n'
    quoted = header + "@@ -1 +1 @@ def f():\n-x\n+y\n"
    assert [hunk.path for hunk in parse_hunks(new + gone + spaced + quoted)] == ["n", "g", "a b", "\\303\\251"]


def key(diff: str) -> str:
    return patch_key(parse_hunks(diff))


def test_patch_key_ignores_line_numbers_and_white_space():
    diff = diff_of(("a.py", "x = 1", "x = 2"))
    assert key(diff.replace("@@ -1 +1 @@", "@@ -71 +72 @@ def f():")) == key(diff)
    assert key(diff.replace("x = 2", "x  =\t2 ")) == key(diff)
    assert key(diff.replace("index 1..2", "index 3..4")) == key(diff)


def test_patch_key_tells_changes_apart():
    edits = [("a.py", "x", "y"), ("a.py", "y", "x"), ("b.py", "x", "y"), ("a.py", "x", "z"), ("a.py", "xy", "")]
    assert len({key(diff_of(edit)) for edit in edits}) == len(edits)
