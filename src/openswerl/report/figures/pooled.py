"""A greedy rate of one policy over all seeds, with one interval, and each seed's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openswerl.report.inputs import Evaluation
from openswerl.report.rates import Rate, evaluation_means, mean_rate, policy_means
from openswerl.statistics import wilson


@dataclass(frozen=True)
class Pooled:
    """The rate over the `instances` that were judged under every seed, and the rate of each seed by itself."""

    policy: str
    split: str
    instances: int
    rate: Rate
    seeds: list[float]


def pooled(evaluations: Sequence[Evaluation], split: str, measure: str, settings: Any) -> list[Pooled]:
    """Return one rate a policy with judged answers on the split, in their first order.

    `measure` is one of `rates.MEASURES`. One seed has the Wilson interval of Table 2, several have the bootstrap over
    instances of its row "all".
    """
    found = []
    for policy in dict.fromkeys(item.policy for item in evaluations):
        means = policy_means(evaluations, policy, "all", "greedy", split, measure)
        own = [evaluation_means(item, "greedy", split, measure) for item in evaluations if item.policy == policy]
        if means:
            rate = _rate(list(means.values()), len(own), settings)
            found.append(Pooled(policy, split, len(means), rate, [sum(seed.values()) / len(seed) for seed in own]))
    return found


def _rate(values: Sequence[float], seeds: int, settings: Any) -> Rate:
    if seeds > 1:
        return mean_rate(values, settings)
    return Rate(sum(values) / len(values), *wilson(sum(values), len(values), settings.confidence))
