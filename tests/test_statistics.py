import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.statistics import pass_at_k, wilson

# Newcombe 1998, Statistics in Medicine 17, table I, method 3, 95 %
TABLE = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]


@pytest.mark.parametrize(("k", "n", "low", "high"), TABLE)
def test_wilson_agrees_with_the_published_table(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n, 0.95) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_bounds_are_where_the_score_test_turns(case: tuple[int, int], confidence: float) -> None:
    """Each bound p lies z standard errors of p itself from the share, z found by bisection of the error function."""
    k, n = case
    low, high = 0.0, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle / math.sqrt(2)) < confidence else (low, middle)
    for bound, is_end in zip(wilson(k, n, confidence), (k == 0, k == n), strict=True):
        if is_end:
            assert bound == k / n
        else:
            assert abs(bound - k / n) == pytest.approx(low * math.sqrt(bound * (1 - bound) / n), rel=1e-6)


@pytest.mark.parametrize("case", [(1, 0, 0.95), (-1, 5, 0.95), (6, 5, 0.95), (1, 5, 1.0), (1, 5, 0.0)])
def test_wilson_refuses_what_is_no_proportion(case: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        wilson(*case)


def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample() -> None:
    for n, correct in itertools.product(range(1, 7), range(7)):
        if correct <= n:
            for k in range(1, n + 1):
                subsets = list(itertools.combinations(range(n), k))
                share = sum(min(subset) < correct for subset in subsets) / len(subsets)
                assert pass_at_k(n, correct, k) == pytest.approx(share)


def test_pass_at_k_needs_k_samples() -> None:
    with pytest.raises(ValueError, match="pass@3"):
        pass_at_k(2, 1, 3)
