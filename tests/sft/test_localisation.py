"""Localisation answers are kept by the paper's rule alone: all edited files, ranked first (appendix C)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import RULES
from openswerl.errors import UserError
from openswerl.sft.localisation import LOCALISATION, edited, localisation_prompt
from sft.conftest import make

TWO = make("o__r-2", {"p/z.py": ("x = 1\n", "x = 2\n"), "p/a.py": ("y = 1\n", "y = 2\n")})


def answer(*paths: str) -> str:
    return f"<think>\nwhy\n</think>\n<solution>\n{chr(10).join(paths)}\n</solution>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (answer("p/z.py", "p/a.py"), None),
        (answer("p/a.py", "p/z.py"), None),  # among the edited files the paper asks for no order
        (answer("p/a.py", "p/z.py", "p/n.py"), None),  # more files may follow
        (answer("", "p/a.py ", "", "p/z.py"), None),
        (answer("p/n.py", "p/a.py", "p/z.py"), "edited_not_first"),
        (answer("p/a.py", "p/n.py", "p/z.py"), "edited_not_first"),
        (answer("p/a.py"), "edited_not_first"),
        (answer("p/a.py", "p/z.py", "p/ghost.py"), "unknown_path"),
        (answer("p/a.py", "p/a.py", "p/z.py"), "duplicate_path"),
        (answer(), "no_paths"),
        ("p/a.py\np/z.py", "missing_tag"),
        (answer("p/a.py", "p/z.py") + "<think>", "duplicate_tag"),
        ("<think></think><solution>p/a.py\np/z.py</solution>", "empty_thought"),
    ],
)
def test_the_form_rule(text, reason):
    assert LOCALISATION.fault(TWO, text, RULES["strict"]) == reason


@given(st.permutations(["p/z.py", "p/a.py", "p/n.py"]), st.integers(0, 3))
def test_kept_if_and_only_if_the_edited_files_are_the_first(paths, length):
    named = paths[:length]
    good = set(named[:2]) == {"p/z.py", "p/a.py"}
    assert (LOCALISATION.fault(TWO, answer(*named), RULES["paper"]) is None) == good


def test_the_gold_answer_is_kept():
    assert edited(TWO) == ["p/a.py", "p/z.py"]
    assert LOCALISATION.fault(TWO, LOCALISATION.gold(TWO), RULES["strict"]) is None


@pytest.mark.parametrize("form", ["compact", "chat"])
def test_only_the_hint_tells_the_files(settings, form):
    cfg = settings(f"model.prompt={form}")
    plain, hinted = str(LOCALISATION.prompt(TWO, cfg)), str(LOCALISATION.hinted(TWO, cfg))
    assert all(plain.count(path) == 1 for path in ("p/z.py", "p/a.py", "p/n.py"))
    assert hinted.count("p/z.py") == hinted.count("p/a.py") == 2 and hinted.count("p/n.py") == 1
    assert "GOLD" not in hinted and "x = 2" not in hinted


def test_an_unknown_form_is_refused():
    with pytest.raises(UserError, match=r"model\.prompt=x is unknown: choose compact or chat"):
        localisation_prompt(TWO.task, "x")
