"""Zero-variance groups: means of the steps, and of their first and last fifth."""

from types import SimpleNamespace

import numpy as np
import pytest

from openswerl.report.inputs import Training
from openswerl.report.rows import Rollout, Step
from openswerl.report.tables.training import ZERO_VARIANCE, zero_variance

SETTINGS = SimpleNamespace(confidence=0.95, resamples=4000, bootstrap_seed=0)


def training(seed: int, curve: list[float], places: int = 4) -> Training:
    steps = [Step(k, 0.0, 1.0, 0.0, value, 10.0) for k, value in enumerate(curve)]
    rollouts = [Rollout(k, f"i{p}", s, 0.0, "") for k in range(len(curve)) for p in range(places) for s in range(2)]
    again = [Rollout(0, "other", s, 0.0, "", attempt=1) for s in range(2)]
    return Training("continuous", seed, steps, rollouts + again)


def test_a_run_has_its_mean_and_its_fifths() -> None:
    """The groups are 4 a step; a second attempt at a place makes no more of them."""
    (row,) = zero_variance([training(0, [k / 10 for k in range(10)])], SETTINGS).to_dict("records")
    assert list(row) == list(ZERO_VARIANCE)
    assert (row["steps"], row["n"]) == (10, 40)
    shares = [row[f"{name}_rate"] for name in ("zero_variance", "first_fifth", "last_fifth")]
    assert shares == pytest.approx([0.45, 0.05, 0.85])
    half = 1.96 * np.std([k / 10 for k in range(10)]) / 10**0.5
    bounds = [row["zero_variance_low"], row["zero_variance_high"]]
    assert bounds == pytest.approx([0.45 - half, 0.45 + half], abs=0.03)


def test_seeds_are_averaged_step_by_step() -> None:
    """Steps that mirror each other average to one half in every step, so Wilson with n = steps stands in."""
    found = zero_variance([training(0, [0.0, 1.0] * 5), training(1, [1.0, 0.0] * 5)], SETTINGS)
    assert list(found.seed) == ["0", "1", "all"]
    every = found.iloc[2]
    assert (every.n, every.zero_variance_rate) == (80, 0.5)
    assert (every.zero_variance_low, every.zero_variance_high) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_a_short_run_has_fifths_of_one_step() -> None:
    row = zero_variance([training(0, [1.0, 0.5, 0.0])], SETTINGS).iloc[0]
    assert (row.first_fifth_rate, row.last_fifth_rate) == (1.0, 0.0)
