import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figure_runs import training
from openswerl.report.figures.bands import band, smooth


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=19))
def test_few_values_stay_as_they_are(values: list[float]) -> None:
    assert smooth(values) == pytest.approx(values)


def test_many_values_are_averaged_over_a_centred_window() -> None:
    values = np.arange(40.0) ** 2
    found = smooth(list(values))
    assert len(found) == 40
    assert found[10] == pytest.approx(values[8:13].mean())
    assert found[0] == pytest.approx((3 * 0 + 1 + 4) / 5)


def test_a_band_is_mean_and_range_of_the_smoothed_seeds() -> None:
    """Against windows that are cut out one by one: forty steps have windows of five, edges repeated."""
    values = np.random.default_rng(1).uniform(-1, 1, (3, 40))
    found = band([training("r", k, row.tolist()) for k, row in enumerate(values)], lambda step: step.reward_mean)
    assert found is not None and found.steps.tolist() == list(range(1, 41))
    places = np.clip(np.arange(40)[:, None] + np.arange(-2, 3), 0, 39)
    windows = values[:, places].mean(axis=2)
    assert found.raw == pytest.approx(values.mean(axis=0))
    assert found.mean == pytest.approx(windows.mean(axis=0))
    assert found.low == pytest.approx(windows.min(axis=0)) and found.high == pytest.approx(windows.max(axis=0))
    assert (found.low < found.mean).all() and (found.mean < found.high).all()


def test_a_step_counts_the_seeds_that_have_it() -> None:
    found = band([training("r", 0, [0.0, None, 1.0]), training("r", 1, [0.5, 0.5])], lambda step: step.reward_mean)
    assert found is not None
    assert [found.mean.tolist(), found.low.tolist(), found.high.tolist()] == [
        [0.25, 0.5, 1.0],
        [0.0, 0.5, 1.0],
        [0.5, 0.5, 1.0],
    ]


def test_without_any_value_there_is_no_band() -> None:
    assert band([training("r", 0, [None, None])], lambda step: step.reward_mean) is None
