"""A rate of one policy over all seeds, with one interval, and each seed's own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openswerl.report.inputs import Evaluation
from openswerl.report.rates import Rate, instance_means
from openswerl.report.rows import Outcome
from openswerl.statistics import mean_interval, wilson

Flag = Callable[[Outcome], bool]


@dataclass(frozen=True)
class Pooled:
    """The rate over the `instances` that were judged under every seed, and the rate of each seed by itself."""

    policy: str
    split: str
    instances: int
    rate: Rate
    seeds: list[float]


def pooled(evaluations: Iterable[Evaluation], split: str, flag: Flag, settings: Any) -> list[Pooled]:
    """Return one rate a policy with judged greedy answers on the split, in their first order.

    One seed has the Wilson interval of Table 2. Several seeds answer the same instances, so their answers are not
    independent: each instance is its mean over seeds, and the interval a percentile bootstrap over instances.
    """
    found: dict[str, list[list[Outcome]]] = {}
    for item in evaluations:
        if answers := [row for row in item.select("greedy", split) if row.judged]:
            found.setdefault(item.policy, []).append(answers)
    rates = (_rate(policy, split, seeds, flag, settings) for policy, seeds in found.items())
    return [rate for rate in rates if rate]


def _rate(policy: str, split: str, seeds: Sequence[Sequence[Outcome]], flag: Flag, settings: Any) -> Pooled | None:
    each = [instance_means(seed, [flag(row) for row in seed]) for seed in seeds]
    shared = [name for name in each[0] if all(name in means for means in each)]
    if not shared:
        return None
    values = np.array([np.mean([means[name] for means in each]) for name in shared])
    if len(seeds) == 1:
        interval = wilson(float(values.sum()), len(values), settings.confidence)
    else:
        interval = mean_interval(values, settings.confidence, settings.resamples, settings.bootstrap_seed)
    own = [float(np.mean([*means.values()])) for means in each]
    return Pooled(policy, split, len(values), Rate(float(values.mean()), *interval), own)
