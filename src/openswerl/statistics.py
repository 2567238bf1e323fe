"""Small closed-form statistics."""

import math
from statistics import NormalDist


def wilson(k: float, n: int, confidence: float) -> tuple[float, float]:
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
