"""How well the files to edit were found: recall at k, against naming files at random."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from openswerl.evaluate.mini.evidence import Evidence
from openswerl.evaluate.mini.recall import found_all, recall_at
from openswerl.evaluate.results.breakdown import Facts
from openswerl.statistics import mean_interval


class Intervals(NamedTuple):
    """How intervals over instances are drawn."""

    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def mean(self, values: Sequence[float]) -> tuple[float, float, float]:
        """Return mean and interval of rates over instances, at least one."""
        array = np.array(values, dtype=float)
        return float(array.mean()), *mean_interval(array, *self)


def localised(row: Evidence, oracle: Sequence[str]) -> bool | None:
    """Whether a localisation sample names every oracle file; None if the fix only adds files, or nothing was asked.

    Repair sees the files of one sample at a time (paper appendix B), so files spread over samples do not add up.
    """
    return found_all(row.files, oracle) if oracle and row.files else None


def localisation(rows: Sequence[Evidence], facts: Mapping[str, Facts], intervals: Intervals) -> dict[str, Any] | None:
    """Return recall at k with intervals over instances, and that of random names; None without any instance.

    `without_oracle` counts the instances whose fix only adds files: they have no file to be found. `any` is the share
    of instances of which some sample names every oracle file.
    """
    asked = [(row.files, facts[row.instance_id]) for row in rows if row.files]
    having = [(files, own) for files, own in asked if own.oracle]
    if not having:
        return None
    mean, low, high = intervals.mean([found_all(files, list(own.oracle)) for files, own in having])
    return {
        "instances": len(having),
        "without_oracle": len(asked) - len(having),
        "shown": sum(own.shown for _, own in having) / len(having),
        "at": [_at(having, k, intervals) for k in range(1, len(having[0][1].chance) + 1)],
        "any": {"rate": mean, "low": low, "high": high},
    }


def _at(having: Sequence[tuple[list[list[str]], Facts]], k: int, intervals: Intervals) -> dict[str, Any]:
    mean, low, high = intervals.mean([recall_at(files, list(own.oracle), k) or 0.0 for files, own in having])
    chance = sum(own.chance[k - 1] for _, own in having) / len(having)
    return {"k": k, "recall": mean, "low": low, "high": high, "random": chance}
