"""Why the reward of a short run does not rise: what its metrics amount to, and the first cause that they show."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from omegaconf import DictConfig

from openswerl.preflight.trial_distance import Distance

TENTH = 10
Summary = Mapping[str, float | None]


def summarise(
    rows: Sequence[Mapping[str, Any]], kl_coefficient: float, moved: Distance | None
) -> dict[str, float | None]:
    """Return means over the run, and of some metrics those of its first and last tenth; None where nothing is.

    `kl_penalty` is what the KL term takes from the objective, whose advantages have a deviation of 1. `kl_end` and
    `kl_answer` are the distance from the start after the last step.
    """
    part = max(1, len(rows) // TENTH)
    keys = ("zero_variance", "reward_std", "format_rate", "kl", "entropy", "grad_norm", "nonfinite")
    ends = {
        f"{key}_{name}": _mean([row.get(key) for row in some])
        for key in ("reward_mean", "format_rate", "entropy")
        for name, some in (("first", rows[:part]), ("last", rows[-part:]))
    }
    found = {key: _mean([row.get(key) for row in rows]) for key in keys}
    penalty = None if found["kl"] is None else kl_coefficient * found["kl"]
    end, answer = (moved.token, moved.answer) if moved else (None, None)
    return {**found, **ends, "kl_penalty": penalty, "kl_end": end, "kl_answer": answer}


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


class Cause(msgspec.Struct, frozen=True):
    """A reason why the reward does not rise: when it holds, and what to do."""

    holds: Callable[[Summary, DictConfig], bool]
    advice: str


def cause_of(found: Summary, rules: DictConfig) -> str:
    """Return the name of the likeliest cause."""
    return next(name for name, cause in CAUSES.items() if cause.holds(found, rules))


def _above(value: float | None, limit: float) -> bool:
    return value is not None and value > limit


def _below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit


def _unlearnable(found: Summary, rules: DictConfig) -> bool:
    """Malformed answers hinder only where they leave nothing to learn from: GRPO itself teaches the form."""
    return _above(found["zero_variance"], rules.flat) and _below(found["format_rate"], 1 - rules.malformed)


# In this order: the first that holds is the likeliest. Whether there is anything to learn from comes before the
# question of why the policy did not follow; a policy that has run away comes first, as nothing else can then be told.
CAUSES = {
    "nonfinite": Cause(
        lambda found, rules: _above(found["nonfinite"], 0.0),
        "Updates were not finite: lower grpo.optimiser.lr",
    ),
    "far": Cause(
        lambda found, rules: _above(found["kl_end"], rules.far),
        "The policy has run away from its start: lower grpo.optimiser.lr",
    ),
    "blind_reward": Cause(
        lambda found, rules: found["reward_std"] == 0 and _above(found["format_rate"], 0.0),
        "Good and bad answers earned the same: the reward is blind to them (a bug in it, or another prompt)",
    ),
    "format": Cause(
        _unlearnable,
        "Too few answers are well formed to learn from: train sft first",
    ),
    "few_rollouts": Cause(
        lambda found, rules: _above(found["zero_variance"], rules.flat),
        "Most groups have no signal: raise grpo.group_size or grpo.temperature, or set grpo.zero_variance=resample",
    ),
    "kl": Cause(
        lambda found, rules: _above(found["kl_penalty"], rules.rein),
        "The KL term is too strong: lower grpo.kl_coefficient",
    ),
    "still": Cause(
        lambda found, rules: _below(found["kl_answer"], rules.still),
        "The policy hardly moved: raise grpo.optimiser.lr",
    ),
    "noise": Cause(
        lambda found, rules: True,
        "The rewards are too noisy to tell: raise grpo.prompts_per_step, or preflight.trial",
    ),
}
