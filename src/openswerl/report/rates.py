"""Format and resolve rates with intervals: Wilson for one answer an instance, bootstrap over instances for several."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openswerl.report.inputs import Evaluation
from openswerl.report.rows import Outcome
from openswerl.statistics import mean_interval, wilson


@dataclass(frozen=True)
class Rate:
    """A rate between 0 and 1 with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RateRow:
    """One policy on one split under one seed; `n` counts the judged answers, which alone are in the rates."""

    policy: str
    split: str
    seed: int
    decoding: str
    n: int
    format: Rate
    resolved: Rate
    interval: str
    not_judged: int = 0


def rate_rows(evaluations: Iterable[Evaluation], decoding: str, settings: Any) -> Iterator[RateRow]:
    """Yield the rates of every evaluation on every split with a judged answer; `settings` is the report config."""
    interval = "bootstrap over instances" if decoding == "sample" else "Wilson"
    rate = _clustered if decoding == "sample" else _independent
    for item in evaluations:
        for split in settings.splits:
            every = item.select(decoding, split)
            answers = [row for row in every if row.judged]
            if answers:
                lost = len(every) - len(answers)
                formats = rate(answers, [row.format_ok for row in answers], settings)
                resolved = rate(answers, [row.resolved for row in answers], settings)
                yield RateRow(item.policy, split, item.seed, decoding, len(answers), formats, resolved, interval, lost)


def instance_means(answers: Sequence[Outcome], flags: Sequence[bool]) -> dict[str, float]:
    """Return {instance: share of its answers that have the flag}, in order of instance id."""
    groups: dict[str, list[bool]] = {}
    for row, flag in zip(answers, flags, strict=True):
        groups.setdefault(row.instance_id, []).append(flag)
    return {name: sum(group) / len(group) for name, group in sorted(groups.items())}


def _independent(answers: Sequence[Outcome], flags: Sequence[bool], settings: Any) -> Rate:
    return Rate(sum(flags) / len(flags), *wilson(sum(flags), len(flags), settings.confidence))


def _clustered(answers: Sequence[Outcome], flags: Sequence[bool], settings: Any) -> Rate:
    """Rate over all samples; where every instance has the same rate, Wilson with n = instances stands in."""
    values: NDArray[np.float64] = np.array(list(instance_means(answers, flags).values()))
    found = mean_interval(values, settings.confidence, settings.resamples, settings.bootstrap_seed)
    return Rate(float(values.mean()), *found)
