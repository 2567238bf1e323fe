import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from crawl.world import DIFF, Work, run_git
from openswerl.curate.hunks import changed_text, parse_diff

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
    for file in parse_diff(diff):
        for hunk in file.hunks:
            plus, minus = found[hunk.path]
            found[hunk.path] = plus + len(hunk.changed("+")), minus + len(hunk.changed("-"))
    assert found == counts


@given(st.text(alphabet="+-@ \\adifgt/\n\r\x00é\ud800", max_size=200))
def test_no_text_is_too_odd(text):
    assert isinstance(changed_text(parse_diff(f"diff --git {text}")), str)


def test_paths_of_new_removed_quoted_binary_and_empty_files():
    new = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
    gone = "diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    spaced = "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-x\n+y\n"
    header = 'diff --git "a/\\303\\251" "b/\\303\\251"\n--- "a/\\303\\251"\n+++ "b/\\303\\251"\n'
    quoted = header + "@@ -1 +1 @@ def f():\n-x\n+y\n"
    binary = "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n"
    empty = "diff --git a/d/e f b/d/e f\nnew file mode 100644\nindex 0..1\n"
    files = parse_diff(new + gone + spaced + quoted + binary + empty)
    assert [file.path for file in files] == ["n", "g", "a b", "\\303\\251", "i.png", "d/e f"]
    assert [len(file.hunks) for file in files] == [1, 1, 1, 1, 0, 0]
    assert changed_text(files) == "x\nx\nx\ny\nx\ny"


def test_an_empty_diff_has_no_files():
    assert parse_diff("") == []
