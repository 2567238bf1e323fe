"""Format and resolve rates with intervals: Wilson for one answer an instance, bootstrap over instances for several."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openswerl.report.inputs import Evaluation
from openswerl.report.rows import Outcome
from openswerl.statistics import mean_interval, wilson

CLUSTERED = "bootstrap over instances"
MEASURES: dict[str, tuple[Callable[[Outcome], bool], Callable[[Outcome], bool]]] = {
    "resolved": (lambda row: row.resolved, lambda row: True),
    "format": (lambda row: row.format_ok, lambda row: True),
    "extra": (lambda row: bool(row.files_extra), lambda row: row.files_changed is not None),
}
"""What is measured of an answer, and of which answers; "extra": it changes a file that the reference leaves alone."""


@dataclass(frozen=True)
class Rate:
    """A rate between 0 and 1 with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RateRow:
    """One policy on one split under one seed; `n` counts the judged answers, which alone are in the rates.

    A seed of "all" averages the seeds of each instance first; its `n` counts the instances judged under every seed.
    """

    policy: str
    split: str
    seed: int | str
    decoding: str
    n: int
    format: Rate
    resolved: Rate
    interval: str
    not_judged: int = 0


def rate_rows(evaluations: Iterable[Evaluation], decoding: str, settings: Any) -> Iterator[RateRow]:
    """Yield the rates of every evaluation on every split with a judged answer; `settings` is the report config."""
    interval = CLUSTERED if decoding == "sample" else "Wilson"
    rate = clustered if decoding == "sample" else independent
    for item in evaluations:
        for split in settings.splits:
            every = item.select(decoding, split)
            answers = [row for row in every if row.judged]
            if answers:
                lost = len(every) - len(answers)
                formats = rate(answers, [row.format_ok for row in answers], settings)
                resolved = rate(answers, [row.resolved for row in answers], settings)
                yield RateRow(item.policy, split, item.seed, decoding, len(answers), formats, resolved, interval, lost)


def pooled_rows(evaluations: Sequence[Evaluation], decoding: str, settings: Any) -> Iterator[RateRow]:
    """Yield the rows of seed "all", where there are several seeds: means of each instance, bootstrap over instances."""
    if len({item.seed for item in evaluations}) < 2:
        return
    for policy, split in product(dict.fromkeys(item.policy for item in evaluations), settings.splits):
        formats = policy_means(evaluations, policy, "all", decoding, split, "format")
        resolved = policy_means(evaluations, policy, "all", decoding, split, "resolved")
        if resolved:
            every = {row.instance_id for i in evaluations if i.policy == policy for row in i.select(decoding, split)}
            lost = len(every) - len(resolved)
            form, right = (mean_rate(list(means.values()), settings) for means in (formats, resolved))
            yield RateRow(policy, split, "all", decoding, len(resolved), form, right, CLUSTERED, lost)


def policy_means(
    evaluations: Iterable[Evaluation], policy: str, seed: int | str, decoding: str, split: str, measure: str
) -> dict[str, float]:
    """Return the rate of each instance that counts under all the seeds that are asked for, averaged over them."""
    chosen = [item for item in evaluations if item.policy == policy and seed in (item.seed, "all")]
    each = [evaluation_means(item, decoding, split, measure) for item in chosen]
    return averaged(each)


def averaged(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean over seeds of each instance that all of them have; `each` is {instance: rate} of one seed."""
    return {name: sum(means[name] for means in each) / len(each) for name in each[0] if all(name in m for m in each)}


def evaluation_means(item: Evaluation, decoding: str, split: str, measure: str) -> dict[str, float]:
    """Return {instance: share of its judged answers that have the measure}; "extra" is of those with a patch."""
    flag, counts = MEASURES[measure]
    answers = [row for row in item.select(decoding, split) if row.judged and counts(row)]
    return instance_means(answers, [flag(row) for row in answers])


def mean_rate(values: Sequence[float], settings: Any) -> Rate:
    """Return the mean over instances of their rates, with a bootstrap interval; Wilson where all instances agree."""
    rates: NDArray[np.float64] = np.array(values)
    return Rate(
        float(rates.mean()), *mean_interval(rates, settings.confidence, settings.resamples, settings.bootstrap_seed)
    )


def instance_means(answers: Sequence[Outcome], flags: Sequence[bool]) -> dict[str, float]:
    """Return {instance: share of its answers that have the flag}, in order of instance id."""
    groups: dict[str, list[bool]] = {}
    for row, flag in zip(answers, flags, strict=True):
        groups.setdefault(row.instance_id, []).append(flag)
    return {name: sum(group) / len(group) for name, group in sorted(groups.items())}


def independent(answers: Sequence[Outcome], flags: Sequence[bool], settings: Any) -> Rate:
    """Return the share of answers that have the flag, one answer an instance, with its Wilson interval."""
    return Rate(sum(flags) / len(flags), *wilson(sum(flags), len(flags), settings.confidence))


def clustered(answers: Sequence[Outcome], flags: Sequence[bool], settings: Any) -> Rate:
    """Return the share over all samples; what is drawn again are instances."""
    return mean_rate(list(instance_means(answers, flags).values()), settings)
