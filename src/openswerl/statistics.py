"""Small statistics: intervals, an exact paired test, pass@k.

Samples of one instance are not independent, so an instance, with all its samples, is what a resample draws.
"""

import functools
import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]


def wilson(k: float, n: int, confidence: float) -> Interval:
    """Return the Wilson score interval of a proportion: `k` successes in `n` trials (Wilson 1927).

    Raises ValueError unless 0 <= k <= n, n > 0 and 0 < confidence < 1.
    """
    if not (n > 0 and 0 <= k <= n and 0 < confidence < 1):
        raise ValueError(f"wilson: {k} of {n} at confidence {confidence} is no proportion")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = k / n, z * z / n
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


def pass_at_k(n: int, correct: int, k: int) -> float:
    """Return the unbiased estimate that one of `k` samples is right, from `n` of which `correct` are (Chen 2021).

    Raises ValueError unless 0 <= correct <= n and 1 <= k <= n.
    """
    if not (0 <= correct <= n and 1 <= k <= n):
        raise ValueError(f"pass@{k} cannot be told from {correct} right of {n} samples")
    return 1.0 - math.comb(n - correct, k) / math.comb(n, k)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p-value for two counts of discordant pairs; 1.0 without any."""
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**discordant)


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
    means = values[_drawn(len(values), resamples, seed)].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


@functools.lru_cache(maxsize=4)
def _drawn(size: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """Return the indices of every resample, which many intervals of one table share."""
    return np.random.default_rng(seed).integers(0, size, size=(resamples, size))


def mean_interval(values: NDArray[np.float64], confidence: float, resamples: int, seed: int) -> Interval:
    """Return the interval of a mean of rates over instances, shape (instances,), each between 0 and 1.

    The bootstrap of `bootstrap`; where all instances agree, Wilson with n = instances stands in.
    """
    found = bootstrap(values, confidence, resamples, seed)
    return found or wilson(min(float(values.sum()), len(values)), len(values), confidence)
