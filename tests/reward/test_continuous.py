import difflib

import cydifflib
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openswerl.edits import InexpressibleError, minimal_blocks, render
from openswerl.reward import Call, Work, score
from openswerl.reward.settings import Settings
from openswerl.reward.work import Budget

TEXT = st.one_of(st.text(max_size=80), st.text("ab\n +-", max_size=300))
LINES = st.lists(st.sampled_from(["x = 1", "x = 12", "", "    return x", "y", "é"]), max_size=12)
FILE = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
FILES = st.dictionaries(st.sampled_from(["a.py", "b.py", "c.txt"]), FILE)


def similarities(predicted: dict[str, str], oracle: dict[str, str]) -> dict[str, float]:
    return Work(Call({}, {}, ""), Settings(), Budget()).similarities(predicted, oracle)


@settings(deadline=None)
@given(TEXT, TEXT)
@example("", "")
@example("aab" * 70, "ab" * 100)
def test_the_fast_matcher_gives_the_same_bits(a: str, b: str) -> None:
    fast = cydifflib.SequenceMatcher(None, a, b, autojunk=False).ratio()
    assert fast.hex() == difflib.SequenceMatcher(None, a, b, autojunk=False).ratio().hex()


@settings(deadline=None)
@given(TEXT, TEXT)
@example("abcd", "bcda")
def test_prediction_comes_first(predicted: str, oracle: str) -> None:
    expected = difflib.SequenceMatcher(None, predicted, oracle, autojunk=False).ratio()
    assert similarities({"f": predicted}, {"f": oracle}) == {"f": expected}


def test_argument_order_changes_the_number() -> None:
    """If this pair were symmetric, the test above could not tell the orders apart."""
    a, b = "tide", "diet"
    assert similarities({"f": a}, {"f": b}) == {"f": 0.25}
    assert similarities({"f": b}, {"f": a}) == {"f": 0.5}


def test_a_file_on_one_side_counts_zero() -> None:
    assert similarities({"a": "x", "b": "x"}, {"a": "x", "c": "x"}) == {"a": 1.0, "b": 0.0, "c": 0.0}


@settings(deadline=None)
@given(FILES, FILES)
def test_the_oracle_edit_written_as_an_answer_scores_one(old: dict[str, str], new: dict[str, str]) -> None:
    blocks = minimal_blocks(old, new)
    if not blocks:
        return
    try:
        output = render("why", blocks)
    except InexpressibleError:
        raise AssertionError("these texts hold no markers") from None
    for kind in ("continuous", "discrete"):
        for compat in ("paper", "strict"):
            scored = score(old, new, output, kind=kind, compat=compat)
            assert (scored.reward, scored.reason) == (1.0, None)
            assert set(scored.files.values()) <= {1.0}
