import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.report.comparisons import bootstrap, mcnemar


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (0, 6, 2 / 64), (2, 8, 2 * (1 + 10 + 45) / 1024), (10, 10, 1.0)],
)
def test_mcnemar_equals_hand_values(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == p


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_symmetric_and_a_probability(first: int, second: int) -> None:
    assert 0 < mcnemar(first, second) == mcnemar(second, first) <= 1


def test_bootstrap_agrees_with_the_normal_approximation() -> None:
    values = np.random.default_rng(3).normal(0.4, 0.2, 400)
    half = 1.96 * values.std() / 20
    found = bootstrap(values, 0.95, 4000, 0)
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=0.003)


def test_bootstrap_narrows_with_less_confidence_and_repeats_with_its_seed() -> None:
    values = np.arange(10) / 10
    wide, narrow = bootstrap(values, 0.95, 500, 0), bootstrap(values, 0.5, 500, 0)
    assert wide and narrow and wide[0] < narrow[0] < narrow[1] < wide[1]
    assert bootstrap(values, 0.95, 500, 0) == wide != bootstrap(values, 0.95, 500, 1)


def test_bootstrap_cannot_say_anything_about_equal_values() -> None:
    assert bootstrap(np.full(8, 0.25), 0.95, 100, 0) is None
