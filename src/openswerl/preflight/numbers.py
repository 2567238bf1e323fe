"""What the samples amount to: rewards, shares with intervals, and groups without a signal."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

from scipy.stats import t

from openswerl.grpo.metrics import reward_metrics
from openswerl.preflight.sampling import Sample
from openswerl.statistics import wilson

NONE = {"reward_mean": None, "reward_std": None, "reward_quantiles": None, "reward_histogram": None}


def numbers(samples: Sequence[Sample], prompts_too_long: float, penalty: float, confidence: float) -> dict[str, Any]:
    """Return the statistics of sampled answers. Unfinished ones earn `penalty`; what did not come or could not be
    scored is in no mean and no share but its own."""
    came = [sample for sample in samples if sample.came]
    rewards = [one for one in (reward_of(sample, penalty) for sample in came) if one is not None]
    malformed = [
        sample for sample in came if sample.reason and sample.reason != "unfinished" and sample.reward is not None
    ]
    unfinished = [sample for sample in came if sample.reason == "unfinished"]
    groups = _groups(came, penalty)
    flat = [name for name, group in groups.items() if len(set(group)) == 1]
    return {
        "samples": len(samples),
        "answered": len(came),
        "scored": len(rewards),
        **(reward_metrics(rewards) if rewards else NONE),
        "reward_interval": interval([mean(group) for group in groups.values()], confidence),
        "malformed": rate(len(malformed), len(came), confidence),
        "unfinished": rate(len(unfinished), len(came), confidence),
        "unanswered": rate(len(samples) - len(rewards), len(samples), confidence),
        "zero_variance": rate(len(flat), len(groups), confidence),
        "too_long": prompts_too_long,
        "reasons": dict(sorted(Counter(sample.reason for sample in samples if sample.reason).items())),
    }


def reward_of(sample: Sample, penalty: float) -> float | None:
    """Return what the sample would earn in training."""
    return penalty if sample.reason == "unfinished" else sample.reward


def rate(k: int, n: int, confidence: float) -> dict[str, Any]:
    """Return a share with its Wilson interval; None for none of none."""
    return {"k": k, "n": n, "share": k / n if n else None, "interval": list(wilson(k, n, confidence)) if n else None}


def interval(means: Sequence[float], confidence: float) -> list[float] | None:
    """Return Student's interval of the mean over instances, whose samples belong together; None for fewer than 2."""
    if len(means) < 2:
        return None
    half = float(t.ppf((1 + confidence) / 2, len(means) - 1)) * stdev(means) / math.sqrt(len(means))
    return [mean(means) - half, mean(means) + half]


def _groups(samples: Sequence[Sample], penalty: float) -> dict[str, list[float]]:
    """Return the rewards by instance, of those with two or more."""
    groups: dict[str, list[float]] = {}
    for sample in samples:
        if (reward := reward_of(sample, penalty)) is not None:
            groups.setdefault(sample.instance_id, []).append(reward)
    return {name: group for name, group in groups.items() if len(group) > 1}
