"""Bootstrap over instances, and the exact McNemar test.

Samples of one instance are not independent, so an instance, with all its samples, is what a resample draws.
"""

import math

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]


def bootstrap(values: NDArray[np.float64], confidence: float, resamples: int, seed: int) -> Interval | None:
    """Return the percentile interval of the mean over instances; None where all values agree, as it would be empty.

    Args:
        values: shape (instances,), one number per instance: a rate over its samples, or a paired difference.
        confidence: coverage, between 0 and 1.
        resamples: number of resamples.
        seed: of the resampling; the same seed and shape draw the same instances.
    """
    if np.all(values == values[0]):
        return None
    drawn = np.random.default_rng(seed).integers(0, len(values), size=(resamples, len(values)))
    means = values[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p-value for two counts of discordant pairs; 1.0 without any."""
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**discordant)
