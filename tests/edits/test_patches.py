import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import FormatError, git_patch, parse_patch, patch_bodies, render_patch

LINE = st.sampled_from(["a", "b", "", " ", "    return a", "-- q", "@@ -1 +1 @@", "é", "c\r", "\x0c", "\u2028x", "```"])
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=12), st.sampled_from(["", "\n"]))
HUNK = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
PATCH = "diff --git a/d/x.py b/d/x.py\n--- a/d/x.py\n+++ b/d/x.py\n" + HUNK


def answer(solution: str) -> str:
    return f"<think>t</think>\n<solution>{solution}</solution>"


@pytest.mark.parametrize(
    "solution",
    [
        PATCH,
        f"\n{PATCH}\n",
        f"```diff\n{PATCH}```",
        f"The patch:\n\n```\n{PATCH}```\nDone.",
        f"```diff\n{PATCH}",
        f"```diff\n{PATCH}```".replace("\n", "\r\n"),
    ],
    ids=["bare", "blank lines around", "fence", "text around a fence", "open fence", "carriage returns"],
)
def test_fences_and_what_is_around_them_go(solution: str) -> None:
    assert parse_patch(answer(solution)) == ("t", PATCH)


def test_two_fences_are_one_patch() -> None:
    other = PATCH.replace("x.py", "y.py")
    assert parse_patch(answer(f"```diff\n{PATCH}```\nand\n```diff\n{other}```")) == ("t", PATCH + other)


def test_a_last_context_line_that_is_blank_is_kept() -> None:
    patch = PATCH.replace("@@ -1,2 +1,2 @@", "@@ -1,3 +1,3 @@") + " \n"
    assert parse_patch(answer(f"\n{patch}\n"))[1] == patch
    assert patch_bodies(patch) == {"d/x.py": "@@ -1,3 +1,3 @@\n a\n-b\n+c\n \n"}


def test_the_tags_follow_the_same_rule_as_in_every_answer() -> None:
    with pytest.raises(FormatError) as caught:
        parse_patch(PATCH)
    assert caught.value.reason == "missing_tag"


def test_bodies_are_hunks_by_source_path() -> None:
    made = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+q\n"
    gone = "diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-q\n"
    moved = "diff --git a/s b/t\nrename from s\nrename to t\n--- a/s\n+++ b/t\n" + HUNK
    binary = "diff --git a/i b/i\nBinary files a/i and b/i differ\n"
    assert patch_bodies(PATCH + made + gone + moved + binary) == {
        "d/x.py": HUNK, "n": "@@ -0,0 +1,1 @@\n+q\n", "g": "@@ -1,1 +0,0 @@\n-q\n",
        "s": "rename from s to t\n" + HUNK,
    }  # fmt: skip


def test_a_later_part_for_the_same_file_replaces_an_earlier_one() -> None:
    assert patch_bodies(PATCH + PATCH.replace("+c", "+d")) == {"d/x.py": HUNK.replace("+c", "+d")}


@pytest.mark.parametrize("patch", [HUNK, PATCH.replace("1,2 +1,2", "1,9 +1,9")])
def test_wrong_counts_and_lost_hunks_are_unreadable(patch: str) -> None:
    with pytest.raises(FormatError) as caught:
        patch_bodies(patch)
    assert caught.value.reason == "unreadable_patch"


def test_no_patch_has_no_bodies() -> None:
    assert patch_bodies("") == patch_bodies("I do not know.\n") == {}


@given(TEXT, TEXT)
def test_a_git_patch_survives_the_answer(old: str, new: str) -> None:
    patch = git_patch({"f": old}, {"f": new})
    assert parse_patch(render_patch("t", patch)) == ("t", patch)
    assert (patch_bodies(patch) == {}) == (old == new)
