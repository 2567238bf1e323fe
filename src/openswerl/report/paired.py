"""Differences between policies on the same instances."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openswerl.report.inputs import Inputs
from openswerl.report.labels import parted
from openswerl.report.rates import policy_means
from openswerl.report.rows import MINI
from openswerl.statistics import Interval, bootstrap, mcnemar

MAIN = "grpo-continuous"
COMPARED = (
    *(("greedy", "resolved"), ("greedy", "format"), ("sample", "resolved"), ("sample", "format")),
    ("mini", "resolved"),
)
"""Decodings and what is compared in them; Agentless Mini chooses among samples, so its format says nothing."""


@dataclass(frozen=True)
class Difference:
    """`policy` minus `against` over the `n` instances that were judged for both.

    A seed of "all" averages the seeds of each instance first. `interval` is None where every instance has the same
    difference. The discordant counts and `p` are of one answer an instance under one seed, else None.
    """

    policy: str
    against: str
    measure: str
    decoding: str
    split: str
    seed: int | str
    n: int
    rate: float
    rate_against: float
    interval: Interval | None
    confidence: float
    only_policy: int | None = None
    only_against: int | None = None
    p: float | None = None

    @property
    def value(self) -> float:
        """The difference of the two rates, between -1 and 1."""
        return self.rate - self.rate_against

    @property
    def sign(self) -> int:
        """1 or -1 if the interval excludes zero and McNemar's test, where there is one, rejects; else 0."""
        if self.interval is None or (self.p is not None and self.p >= 1 - self.confidence):
            return 0
        low, high = self.interval
        return int(low > 0) - int(high < 0)


def pairs(policies: Sequence[str]) -> list[tuple[str, str]]:
    """Return the comparisons of the report among these policies: each GRPO reward and SFT with what it is held to.

    A policy of a variant is held to the others of that variant, and to itself without it.
    """
    plain = [name for name in policies if "@" not in name]
    found = _pairs(plain)
    for variant in dict.fromkeys(parted(name)[1] for name in policies if name not in plain):
        own = {parted(name)[0]: name for name in [*plain, *policies] if parted(name)[1] in ("", variant)}
        inside = [(own[first], own[second]) for first, second in _pairs([*own])]
        found += [pair for pair in inside if not set(pair) <= set(plain)]
        found += [(name, base) for base, name in own.items() if name != base and base in plain]
    return found


def _pairs(policies: Sequence[str]) -> list[tuple[str, str]]:
    rewards = sorted((name for name in policies if name.startswith("grpo-")), key=lambda name: name != MAIN)
    wanted = [(reward, other) for reward in rewards for other in ("base", "sft")]
    wanted[2:2] = [(MAIN, reward) for reward in rewards if reward != MAIN] + [(MAIN, "sft-gold")]
    wanted += [("sft", "base"), ("sft-gold", "base")]
    return [pair for pair in wanted if set(pair) <= set(policies)]


def differences(inputs: Inputs, settings: Any) -> Iterator[Difference]:
    """Yield every comparison of COMPARED on the first split, seed by seed and overall."""
    split = next(iter(settings.splits))
    names = list(dict.fromkeys(item.policy for item in inputs.evaluations))
    for pair, (decoding, measure), seed in itertools.product(pairs(names), COMPARED, with_all(inputs.seeds)):
        means = [policy_means(inputs.evaluations, name, seed, decoding, split, measure) for name in pair]
        if means[0].keys() & means[1].keys():
            yield difference(pair, measure, decoding, split, seed, means, settings)


def ablation(inputs: Inputs, settings: Any) -> Iterator[Difference]:
    """Yield, of each policy, seed and split, Agentless Mini's choice minus each of its choices with fewer stages.

    `against` names the choice that is held against the full one of the same policy.
    """
    names = dict.fromkeys(item.policy for item in inputs.evaluations)
    for policy, seed, split, choice in itertools.product(names, with_all(inputs.seeds), settings.splits, MINI[1:]):
        means = [policy_means(inputs.evaluations, policy, seed, way, split, "resolved") for way in (MINI[0], choice)]
        if means[0].keys() & means[1].keys():
            yield difference((policy, choice), "resolved", MINI[0], split, seed, means, settings)


def with_all(seeds: Sequence[int]) -> list[int | str]:
    """Return the seeds, and "all" after them if they are several."""
    return [*seeds, *(["all"] if len(seeds) > 1 else [])]


def difference(
    pair: tuple[str, str],
    measure: str,
    decoding: str,
    split: str,
    seed: int | str,
    means: list[dict[str, float]],
    settings: Any,
) -> Difference:
    """Compare the instances that both have: `means` holds a rate by instance, of the policy and of the other."""
    names = [name for name in means[0] if name in means[1]]
    first, second = (np.array([mean[name] for name in names]) for mean in means)
    interval = bootstrap(first - second, settings.confidence, settings.resamples, settings.bootstrap_seed)
    rates = float(first.mean()), float(second.mean())
    test: tuple[int, int, float] | tuple[()] = ()
    if decoding != "sample" and seed != "all":
        only = int((first > second).sum()), int((first < second).sum())
        test = *only, mcnemar(*only)
    return Difference(*pair, measure, decoding, split, seed, len(first), *rates, interval, settings.confidence, *test)
