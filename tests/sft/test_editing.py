"""Editing answers are kept by form alone; the training prompt shows no hint."""

import pytest

from openswerl.edits import Block, render, rules_of
from openswerl.reward import score
from openswerl.sft.editing import EDITING, gold_edit
from sft.conftest import OLD, make

ONE = make("o__r-1", {"p/m.py": (OLD, "def f(a):\n    return a + 1  # gh-7\n")})
GOOD = render("think", gold_edit(ONE))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD, None),
        (GOOD.replace("a + 1  # gh-7", "a * 1"), None),  # no similarity is asked for
        (GOOD.replace("</solution>", ""), "missing_tag"),
        (GOOD.replace("    return a - 1", "return a - 1"), "search_not_found"),
        (GOOD.replace("### p/m.py", "### p/other.py"), "search_not_found"),
        (render("think", [Block("p/new.py", "", "x = 1")]), "unknown_path"),
        ("I do not know", "missing_tag"),
    ],
)
def test_the_form_rule(settings, text, reason):
    assert EDITING.fault(ONE, text, rules_of(settings().edits)) == reason


def test_the_gold_answer_scores_one():
    assert score(ONE.task.context, ONE.oracle, EDITING.gold(ONE)).reward == 1.0


def test_only_the_hint_tells_the_edit(settings):
    assert "return a + 1  # gh-7" in str(EDITING.hinted(ONE, settings()))
    assert "return a + 1  # gh-7" not in str(EDITING.prompt(ONE, settings()))
