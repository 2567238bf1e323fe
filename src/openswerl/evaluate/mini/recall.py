"""How often localisation finds the files to edit; needs the gold patch's file names, so it comes after all steps."""

from collections.abc import Sequence

Files = Sequence[str]


def recall_at(samples: Sequence[Files], oracle: Files, k: int) -> float | None:
    """Return the share of oracle files among the first `k` that a sample names, as a mean over samples.

    None where there is nothing to find, or no sample.
    """
    if not oracle or not samples:
        return None
    wanted = set(oracle)
    return sum(len(wanted & set(files[:k])) for files in samples) / len(wanted) / len(samples)


def found_all(samples: Sequence[Files], oracle: Files) -> bool:
    """Tell whether some sample names every oracle file, so that repair has them all in one prompt."""
    return any(set(oracle) <= set(files) for files in samples)


def random_recall_at(paths: Sequence[str], oracle: Files, k: int) -> float | None:
    """Return what naming `k` different files of `paths` at random finds on average: k of their number, at most 1."""
    if not oracle or not paths:
        return None
    inside = len(set(oracle) & set(paths)) / len(set(oracle))
    return inside * min(1.0, k / len(paths))
