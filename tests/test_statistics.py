import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from openswerl.statistics import bootstrap, mcnemar, mean_interval, pass_at_k, wilson

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


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (0, 6, 2 / 64), (2, 8, 2 * (1 + 10 + 45) / 1024), (10, 10, 1.0)],
)
def test_mcnemar_equals_hand_values(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == p


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_exact_binomial_test_of_the_discordant_pairs(first: int, second: int) -> None:
    expected = scipy.stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)


def test_bootstrap_agrees_with_scipy_and_the_normal_approximation() -> None:
    values = np.random.default_rng(3).normal(0.4, 0.2, 400)
    half = 1.96 * values.std() / 20
    found = bootstrap(values, 0.95, 4000, 0)
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=0.003)
    other = scipy.stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", random_state=1)
    assert found == pytest.approx(tuple(other.confidence_interval), abs=0.003)


def test_bootstrap_narrows_with_less_confidence_and_repeats_with_its_seed() -> None:
    values = np.arange(10) / 10
    wide, narrow = bootstrap(values, 0.95, 500, 0), bootstrap(values, 0.5, 500, 0)
    assert wide and narrow and wide[0] < narrow[0] < narrow[1] < wide[1]
    assert bootstrap(values, 0.95, 500, 0) == wide != bootstrap(values, 0.95, 500, 1)


def test_bootstrap_cannot_say_anything_about_equal_values_and_wilson_stands_in() -> None:
    values = np.full(20, 0.0)
    assert bootstrap(values, 0.95, 100, 0) is None
    assert mean_interval(values, 0.95, 100, 0) == pytest.approx((0, 0.1611), abs=5e-5)
    assert mean_interval(np.arange(4.0) / 4, 0.95, 100, 0) == bootstrap(np.arange(4.0) / 4, 0.95, 100, 0)
