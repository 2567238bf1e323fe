"""Exact match of patches (paper 3.6)."""

from openswerl.reward.outcome import Value
from openswerl.reward.work import Work

ANSWER = "search_replace"
INLINE = True


def reward(work: Work) -> Value:
    """Return 1.0 if predicted and oracle diff are equal in every file, else 0.0."""
    predicted, oracle = work.diffs
    paths = sorted(predicted.keys() | oracle.keys())
    return Value(float(predicted == oracle), {path: float(predicted.get(path) == oracle.get(path)) for path in paths})
