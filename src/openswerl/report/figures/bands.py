"""Several seeds of one GRPO run over its steps: a mean and the range of the seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openswerl.report.inputs import Training
from openswerl.report.rows import Step

Numbers = NDArray[np.float64]
Value = Callable[[Step], float | None]


@dataclass(frozen=True)
class Band:
    """Arrays of shape (steps,), of the steps that any seed has a value for, counted from 1.

    `mean`, `low` and `high` are over seeds, each smoothed first; `raw` is the mean of their values as they are.
    """

    steps: Numbers
    raw: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers


def smooth(values: Sequence[float]) -> Numbers:
    """Return a centred moving mean over about a tenth of the values; few values stay as they are."""
    half = len(values) // 20
    padded = np.pad(np.asarray(values, dtype=float), half, mode="edge")
    return np.convolve(padded, np.ones(2 * half + 1) / (2 * half + 1), mode="valid")


def band(runs: Sequence[Training], value: Value) -> Band | None:
    """Return mean and range of a quantity over the seeds that have it at a step; None if no step of any has it."""
    found = [{step.step: number for step in run.steps if (number := value(step)) is not None} for run in runs]
    seeds = [seed for seed in found if seed]
    if not seeds:
        return None
    steps = sorted(set().union(*seeds))
    smoothed = [dict(zip(seed, smooth([*seed.values()]), strict=True)) for seed in seeds]
    raw, rows = _table(seeds, steps), _table(smoothed, steps)
    over = (np.nanmean(raw, 0), np.nanmean(rows, 0), np.nanmin(rows, 0), np.nanmax(rows, 0))
    return Band(np.array(steps, dtype=float) + 1, *over)


def _table(seeds: Sequence[Mapping[int, float]], steps: Sequence[int]) -> Numbers:
    """Return the values, shape (seeds, steps), NaN where a seed has none."""
    return np.array([[seed.get(step, np.nan) for step in steps] for seed in seeds])
