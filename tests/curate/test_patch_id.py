import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from crawl.world import DIFF, Work, run_git
from curate.pulls import diff_of
from openswerl.curate.hunks import parse_diff
from openswerl.curate.patch_id import file_ids, patch_id

LINES = st.sampled_from(
    ["", " ", "a", "b\tc", "\x0b", "@@ -1 +1 @@", "-- a/x", "\\ No newline at end of file", "é", "\r"]
)
TEXT = st.tuples(st.lists(LINES, max_size=5), st.booleans()).map(lambda drawn: "\n".join(drawn[0]) + "\n" * drawn[1])
CONTENT = st.one_of(st.none(), TEXT, st.binary(max_size=2).map(lambda tail: b"\0" + tail))
TREE = st.fixed_dictionaries({path: CONTENT for path in ("a", "b/c d", "é", "z")})


def git_patch_id(work: Work, diff: bytes) -> str:
    return run_git(work.folder, "patch-id", "--stable", stdin=diff).decode()[:40]


@given(trees=st.lists(TREE, min_size=3, max_size=3), executable=st.booleans())
@settings(max_examples=8, deadline=None)
def test_it_is_the_id_that_git_prints(trees, executable):
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "w")
        commits = [work.commit({path: text for path, text in tree.items() if text is not None}) for tree in trees]
        if executable:
            commits.append(work.commit({"a": "#!\n"}, commits[0], mode="100755"))
        pairs = [(old, new) for old in commits for new in commits]
        diffs = [run_git(work.folder, *DIFF, old, new) for old, new in pairs]
        for diff in filter(None, diffs):
            assert patch_id(parse_diff(diff.decode())) == git_patch_id(work, diff)


def test_groups_are_those_of_git(tmp_path):
    work = Work(tmp_path / "w")
    body = [f"line {n}\n" for n in range(40)]
    fixed = [*body[:20], "fixed\n", *body[21:]]
    pairs = [
        ("".join(body), "".join(fixed)),
        ("new\n" * 9 + "".join(body), "new\n" * 9 + "".join(fixed)),  # the same at another place
        ("".join(body).replace(" ", "\t"), "".join(fixed).replace(" ", "\t")),  # other white space
        ("".join(body), "".join(fixed).replace("fixed", "broken")),
    ]
    diffs = [run_git(work.folder, *DIFF, *(work.commit({"f": side}) for side in pair)) for pair in pairs]
    ours = [patch_id(parse_diff(diff.decode())) for diff in diffs]
    theirs = [git_patch_id(work, diff) for diff in diffs]
    assert [ours.index(one) for one in ours] == [theirs.index(one) for one in theirs] == [0, 0, 0, 3]


def test_the_order_of_files_does_not_matter_and_a_part_can_be_found():
    edits = [("a.py", "x", "y"), ("b.py", "x", "y")]
    one, two = parse_diff(diff_of(*edits)), parse_diff(diff_of(*reversed(edits)))
    assert patch_id(one) == patch_id(two) != patch_id(one[:1])
    assert file_ids(one[:1]) < file_ids(one)


def test_changes_are_told_apart():
    edits = [("a.py", "x", "y"), ("a.py", "y", "x"), ("b.py", "x", "y"), ("a.py", "x", "z"), ("a.py", "xy", "")]
    assert len({patch_id(parse_diff(diff_of(edit))) for edit in edits}) == len(edits)
