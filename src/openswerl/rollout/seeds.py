"""Random numbers that depend on names alone, never on what else is drawn."""

import hashlib
from collections.abc import Sequence

import numpy as np


def seed_of(*names: object) -> int:
    """Return a seed in [0, 2^63) for these names, such as the run's seed, a step and an instance."""
    digest = hashlib.sha256("\n".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def uniforms(seeds: Sequence[int], samples: int, length: int) -> np.ndarray:
    """Return numbers in [0, 1), [len(seeds) x samples, length]: row (k, i) is a function of (seeds[k], i)."""
    rows = [_row(seed, sample, length) for seed in seeds for sample in range(samples)]
    return np.stack(rows) if rows else np.empty((0, length))


def _row(seed: int, sample: int, length: int) -> np.ndarray:
    key = np.array([seed, sample], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key)).random(length)
