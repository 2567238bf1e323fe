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
    """`n` judged greedy answers to `instances`; the interval is over instances, `seeds` are the rates of each seed."""

    policy: str
    split: str
    n: int
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
    return [_rate(policy, split, seeds, flag, settings) for policy, seeds in found.items()]


def _rate(policy: str, split: str, seeds: Sequence[Sequence[Outcome]], flag: Flag, settings: Any) -> Pooled:
    answers = [row for seed in seeds for row in seed]
    values = np.array([*instance_means(answers, [flag(row) for row in answers]).values()])
    own = [sum(flag(row) for row in seed) / len(seed) for seed in seeds]
    if len(seeds) == 1:
        interval = wilson(sum(map(flag, answers)), len(answers), settings.confidence)
    else:
        interval = mean_interval(values, settings.confidence, settings.resamples, settings.bootstrap_seed)
    return Pooled(policy, split, len(answers), len(values), Rate(float(values.mean()), *interval), own)
