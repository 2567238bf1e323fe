"""Zero-variance groups of GRPO as a frame: groups whose samples all earn the same reward teach nothing."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from pandas import DataFrame

from openswerl.report.inputs import Training
from openswerl.report.rates import mean_rate
from openswerl.report.tables.columns import Cells, rate, rate_cells
from openswerl.report.tables.kinds import COUNT, TEXT, Columns, frame

FIFTHS = 5
ZERO_VARIANCE: Columns = {
    **{"reward": TEXT, "seed": TEXT, "steps": COUNT, "n": COUNT},
    **rate("zero_variance"),
    **rate("first_fifth"),
    **rate("last_fifth"),
}


def zero_variance(trainings: Iterable[Training], settings: Any) -> DataFrame:
    """Return the share of groups without reward variance over the run, and over its first and last fifth of steps.

    `n` counts groups. Steps are what the bootstrap draws, as the groups of one step share a policy; Wilson with n =
    steps where all steps agree. The row "all" averages the seeds of each step first.
    """
    return frame(ZERO_VARIANCE, _rows(trainings, settings))


def _rows(trainings: Iterable[Training], settings: Any) -> Iterator[Cells]:
    runs: dict[str, list[Training]] = {}
    for run in trainings:
        runs.setdefault(run.reward, []).append(run)
    for reward, seeds in runs.items():
        for run in seeds:
            yield [reward, run.seed, len(run.steps), groups(run), *_shares(_curve(run), settings)]
        if len(seeds) > 1:
            curves = [_curve(run) for run in seeds]
            steps = min(map(len, curves))
            mean = np.mean([curve[:steps] for curve in curves], axis=0)
            yield [reward, "all", steps, sum(map(groups, seeds)), *_shares(mean.tolist(), settings)]


def groups(run: Training) -> int:
    """Return the number of groups that the run was trained on: each place of a step has one first attempt."""
    return sum(row.sample == 0 and row.attempt == 0 for row in run.rollouts)


def _curve(run: Training) -> list[float]:
    return [step.zero_variance for step in run.steps]


def _shares(steps: Sequence[float], settings: Any) -> Cells:
    size = max(1, len(steps) // FIFTHS)
    return [cell for part in (steps, steps[:size], steps[-size:]) for cell in rate_cells(mean_rate(part, settings))]
