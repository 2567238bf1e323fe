"""The slope against a textbook value, and its interval against simulation."""

import numpy as np
import pytest

from openswerl.preflight.trend import trend


def test_the_slope_is_that_of_least_squares():
    values = np.array([0.1, 0.4, 0.2, 0.5, 0.3, 0.7, 0.6, 0.9])
    assert trend(list(values), 0.95).slope == pytest.approx(np.polyfit(np.arange(8), values, 1)[0])
    assert trend([0.1] * 7, 0.95) is None


def test_a_clear_rise_and_a_clear_fall():
    noise = np.random.default_rng(0).normal(0, 0.02, 60)
    line = np.linspace(-0.5, 0.5, 60)
    assert trend(list(line + noise), 0.95).word == "rises"
    assert trend(list(-line + noise), 0.95).word == "falls"
    assert trend(list(noise), 0.95).word == "does not clearly rise"


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.7])
def test_the_interval_covers_the_truth_as_often_as_it_says(correlation):
    """A series without a trend, whose steps depend on each other; the textbook interval covers 75 % at 0.5."""
    rng, runs, n = np.random.default_rng(1), 1500, 100
    noise = rng.normal(size=(runs, n + 50))
    series = np.zeros_like(noise)
    for t in range(1, n + 50):
        series[:, t] = correlation * series[:, t - 1] + noise[:, t]
    found = [trend(list(row[50:]), 0.95) for row in series]
    covered = np.mean([one.low <= 0 <= one.high for one in found])
    assert 0.93 <= covered <= 0.97
