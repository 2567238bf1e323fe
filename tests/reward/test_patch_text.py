import difflib

from openswerl.edits import git_patch, render_patch
from openswerl.reward import Score, score

OLD, NEW = {"a.py": "x = 1\n", "b.py": "y = 1\n"}, {"a.py": "x = 2\n", "b.py": "y = 2\n"}
PATCH = git_patch(OLD, NEW)


def patch_text(patch: str) -> Score:
    return score(OLD, NEW, render_patch("t", patch), kind="patch_text")


def test_the_whole_text_is_compared_from_its_first_header_on() -> None:
    assert patch_text(PATCH) == patch_text("Here it is:\n" + PATCH) == Score(1.0)
    other = PATCH.replace("x = 2", "x = 3").replace("+y = 2", "+why = 2")
    assert patch_text(other).reward == difflib.SequenceMatcher(None, other, PATCH, autojunk=False).ratio() < 1


def test_a_file_that_is_missing_counts_by_its_length_alone() -> None:
    half = git_patch(OLD, {"a.py": "x = 2\n"})
    assert patch_text(half).reward == 2 * len(half) / (len(half) + len(PATCH))


def test_without_a_header_it_is_badly_formed() -> None:
    assert patch_text(PATCH.replace("diff --git", "diff")) == Score(-1.0, "unreadable_patch")
    assert score(OLD, NEW, PATCH, kind="patch_text", format_penalty=-0.5) == Score(-0.5, "missing_tag")
