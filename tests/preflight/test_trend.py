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


def autoregressive(correlation: float, runs: int, n: int) -> np.ndarray:
    """Series without a trend, whose steps depend on each other; their first steps are left out."""
    noise = np.random.default_rng(1).normal(size=(runs, n + 50))
    for t in range(1, n + 50):
        noise[:, t] += correlation * noise[:, t - 1]
    return noise[:, 50:]


# Of 1500 series a share of 0.95 has a deviation of 0.006. The textbook interval covers 0.72 of the third case.
@pytest.mark.parametrize(
    ("correlation", "n", "least"), [(0.0, 100, 0.93), (0.5, 100, 0.93), (0.5, 40, 0.915), (0.7, 100, 0.93)]
)
def test_the_interval_covers_the_truth_as_often_as_it_says(correlation, n, least):
    found = [trend(list(row), 0.95) for row in autoregressive(correlation, 1500, n)]
    covered = np.mean([one.low <= 0 <= one.high for one in found])
    assert least <= covered <= 0.97


def test_a_slope_moves_the_interval_and_changes_nothing_else():
    (noise,) = autoregressive(0.5, 1, 60)
    flat, steep = trend(list(noise), 0.95), trend(list(noise + 0.3 * np.arange(60)), 0.95)
    assert [steep.slope, steep.low, steep.high] == pytest.approx([0.3 + x for x in (flat.slope, flat.low, flat.high)])


def test_a_real_rise_is_mostly_seen():
    """Half a unit over 100 steps, under noise of 0.1 that depends on itself."""
    noise = 0.1 * np.sqrt(1 - 0.5**2) * autoregressive(0.5, 300, 100)
    seen = [trend(list(row + np.linspace(0, 0.5, 100)), 0.95).word == "rises" for row in noise]
    assert np.mean(seen) > 0.95


def test_equal_rewards_have_no_trend():
    """Their means over unequal numbers of samples differ by rounding, which rises by chance in some series."""
    rng = np.random.default_rng(0)
    for n in range(8, 120):
        values = [float(np.mean([0.1] * int(size))) for size in rng.integers(8, 65, n)]
        assert trend(values, 0.95).word == "does not clearly rise"
