import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openswerl.curate.grams import TOKENS, grams

WORDS = st.lists(st.sampled_from(["a", "b", "Été", "x1"]), max_size=12)


@given(words=WORDS, size=st.integers(1, 5))
def test_as_many_hashes_as_distinct_runs(words, size):
    runs = {tuple(word.lower() for word in words[i : i + size]) for i in range(len(words) - size + 1)}
    assert len(grams(" ".join(words), size)) == len(runs)


@given(first=WORDS, second=WORDS, size=st.integers(1, 4))
def test_equal_runs_have_equal_hashes(first, second, size):
    runs = [{tuple(w.lower() for w in ws[i : i + size]) for i in range(len(ws) - size + 1)} for ws in (first, second)]
    common = np.intersect1d(grams(" ".join(first), size), grams(", ".join(second), size))
    assert len(common) == len(runs[0] & runs[1])


def test_signs_count_as_tokens_on_demand():
    assert np.array_equal(grams("x < y", 2), grams("x <= y", 2))
    assert not np.array_equal(grams("x < y", 2, TOKENS), grams("x <= y", 2, TOKENS))


def test_a_lone_surrogate_is_a_character():
    assert len(grams("a \ud800 b", 3)) == 1
