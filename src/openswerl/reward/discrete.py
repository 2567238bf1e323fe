"""Exact match of patches (paper 3.6)."""

from openswerl.reward.outcome import Score


def discrete(predicted: dict[str, str], oracle: dict[str, str]) -> Score:
    """Return 1.0 if the two patches are equal in every file, else 0.0. Both map path to diff body."""
    paths = sorted(predicted.keys() | oracle.keys())
    files = {path: float(predicted.get(path) == oracle.get(path)) for path in paths}
    return Score(float(predicted == oracle), files=files)
