"""The unified-diff reward against hunks written out by hand and compared by difflib."""

import difflib

import pytest

from openswerl.edits import git_patch, render_patch
from openswerl.reward import Score, score

OLD = {"a.py": "def f(a):\n    return a\n", "b.py": "x = 1\n"}
NEW = {"a.py": "def f(a):\n    return a + 1\n"}
HEAD = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
BODY = "@@ -1,2 +1,2 @@\n def f(a):\n-    return a\n+    return a + 1\n"


def unidiff(patch: str, oracle: dict[str, str] = NEW, compat: str = "paper") -> Score:
    return score(OLD, oracle, render_patch("t", patch), kind="unidiff", compat=compat)


def ratio(predicted: str, oracle: str) -> float:
    return difflib.SequenceMatcher(None, predicted, oracle, autojunk=False).ratio()


@pytest.mark.parametrize("patch", [HEAD + BODY, (HEAD + BODY).removeprefix("diff --git a/a.py b/a.py\n")])
def test_the_right_patch_scores_one(patch: str) -> None:
    assert unidiff(patch) == Score(1.0, None, {"a.py": 1.0})


def test_the_hunk_header_is_part_of_the_compared_text() -> None:
    moved = BODY.replace("-1,2 +1,2", "-11,2 +11,2")
    assert unidiff(HEAD + moved).files == {"a.py": ratio(moved, BODY)}
    assert 0.9 < ratio(moved, BODY) < 1


def test_the_prediction_comes_first() -> None:
    predicted, oracle = (f"@@ -1,1 +1,1 @@\n-q\n+{word}\n" for word in ("tide", "diet"))
    found = score({"a.py": "q\n"}, {"a.py": "diet\n"}, render_patch("t", HEAD + predicted), kind="unidiff")
    assert found.reward == ratio(predicted, oracle) != ratio(oracle, predicted)


def test_files_of_one_side_count_zero() -> None:
    b = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert unidiff(HEAD + BODY + b) == Score(0.5, None, {"a.py": 1.0, "b.py": 0.0})
    assert unidiff(b).reward == 0.0


@pytest.mark.parametrize("patch", ["I do not know.\n", "", HEAD + BODY.replace("1,2 +1,2", "1,9 +1,9")])
def test_an_unreadable_patch_is_no_edit_by_the_official_rule_and_badly_formed_by_the_strict_one(patch: str) -> None:
    assert unidiff(patch) == Score(0.0, None, {"a.py": 0.0}, ("unreadable_patch",))
    assert unidiff(patch, compat="strict") == Score(-1.0, "unreadable_patch")


def test_an_answer_without_tags_is_badly_formed() -> None:
    assert score(OLD, NEW, HEAD + BODY, kind="unidiff") == Score(-1.0, "missing_tag")


def test_no_change_on_either_side_scores_one_by_the_official_rule() -> None:
    assert unidiff("", oracle={}).reward == 1.0


def test_new_removed_and_odd_texts_survive() -> None:
    old = {"gone.py": "x\n", "crlf.py": "a\r\nb\r\n", "odd.py": "a\x0cb\nc\u2028d"}
    new = {"gone.py": "", "crlf.py": "a\r\nc\r\n", "odd.py": "a\x0cb\ne\u2028d", "made.py": "y\n"}
    found = score(old, new, render_patch("t", git_patch(old, new)), kind="unidiff", compat="strict")
    assert found == Score(1.0, None, dict.fromkeys(sorted(new), 1.0))
