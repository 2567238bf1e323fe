"""The GRPO objective (paper Eq. 2): the clipped ratio times the advantage, less a KL term to the reference.

Eq. 2 is written with one ratio per sequence and no division by length, and it names no estimator of the KL term. Each
of these is a choice here: see `RATIOS`, `NORMALISATIONS` and `ESTIMATORS`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.grpo.advantages import SCALINGS

RATIOS = {
    # The usual reading: one ratio per token, so that clipping drops single tokens.
    "token": lambda change, mask: change.exp(),
    # Eq. 2 to the letter: the product over the sequence, which long answers make very large or very small.
    "sequence": lambda change, mask: (change * mask).sum(1, keepdim=True).exp().expand_as(change),
    # The sequence's ratio as a geometric mean per token.
    "geometric": lambda change, mask: ((change * mask).sum(1, keepdim=True) / _lengths(mask)).exp().expand_as(change),
}
# All three estimate KL(policy, reference) of a token drawn from the policy, with d = log reference - log policy.
ESTIMATORS = {
    # Unbiased, of high variance; as a loss its gradient on the policy's own samples is zero on average.
    "k1": lambda d: -d,
    # Biased and of low variance; as a loss its gradient is that of the KL term.
    "k2": lambda d: d.square() / 2,
    # Unbiased and never negative; GRPO's usual choice.
    "k3": lambda d: d.exp() - d - 1,
}
# What a token weighs, given its row's length, and the batch's sequences, tokens and longest answer allowed.
NORMALISATIONS = {
    # Sequences weigh alike: the mean over a sequence's tokens, then over sequences.
    "sequence": lambda lengths, batch: 1 / (lengths * batch.sequences),
    # Tokens weigh alike: long answers weigh more.
    "token": lambda lengths, batch: torch.full_like(lengths, 1 / max(1, batch.tokens)),
    # Tokens weigh alike, and a batch of short answers steps no further than one of long answers.
    "constant": lambda lengths, batch: torch.full_like(lengths, 1 / (batch.longest * batch.sequences)),
}
CHOICES: dict[str, Iterable[str]] = {
    "ratio": RATIOS,
    "normalisation": NORMALISATIONS,
    "kl_estimator": ESTIMATORS,
    "advantage_scaling": SCALINGS,
}


@dataclass(frozen=True)
class Objective:
    """The choices of Eq. 2. Raises UserError for a name that is none."""

    ratio: str = "token"
    normalisation: str = "sequence"
    kl_estimator: str = "k3"
    kl_coefficient: float = 0.0
    clip_low: float = 0.2
    clip_high: float = 0.2
    advantage_scaling: str = "group_std"

    def __post_init__(self) -> None:
        for key, known in CHOICES.items():
            if getattr(self, key) not in known:
                raise UserError(f"grpo.{key}={getattr(self, key)} is unknown: choose {', '.join(known)}")

    @classmethod
    def of(cls, grpo: DictConfig) -> "Objective":
        """Return the objective that conf/grpo describes."""
        return cls(**{key: grpo[key] for key in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Batch:
    """The counts of the whole batch, over all ranks: what has no signal or is masked stays in `sequences`."""

    sequences: int
    tokens: int
    longest: int


@dataclass(frozen=True)
class LossTerms:
    """The loss to minimise, and sums over tokens for the log (`kl` with a reference alone)."""

    loss: torch.Tensor
    sums: dict[str, float] = field(default_factory=dict)


def grpo_loss(
    logprobs: torch.Tensor,
    old: torch.Tensor,
    reference: torch.Tensor | None,
    advantages: torch.Tensor,
    mask: torch.Tensor,
    batch: Batch,
    objective: Objective,
    weights: torch.Tensor | None = None,
) -> LossTerms:
    """Return the loss over [rows, tokens] log-probabilities with [rows] advantages; rows of an empty mask add 0.

    `weights` [rows, tokens] of the policy term make up for samples that another policy drew.
    """
    change = (logprobs - old).where(mask, 0.0)
    ratio = RATIOS[objective.ratio](change, mask)
    low, high, gain = 1 - objective.clip_low, 1 + objective.clip_high, advantages[:, None]
    loss = -torch.minimum(ratio * gain, ratio.clamp(low, high) * gain)
    if weights is not None:
        loss = loss * weights.where(mask, 0.0)
    logged = {
        "tokens": torch.ones_like(ratio),
        "ratio": ratio,
        "clipped_low": (ratio < low) & (gain < 0),
        "clipped_high": (ratio > high) & (gain > 0),
    }
    if reference is not None:
        logged["kl"] = ESTIMATORS[objective.kl_estimator]((reference - logprobs).where(mask, 0.0))
        loss = loss + objective.kl_coefficient * logged["kl"]
    weight = NORMALISATIONS[objective.normalisation](_lengths(mask).to(loss.dtype), batch)
    sums = {name: float((values.detach() * mask).sum()) for name, values in logged.items()}
    return LossTerms((loss * mask * weight).sum(), sums)


def _lengths(mask: torch.Tensor) -> torch.Tensor:
    return mask.sum(1, keepdim=True).clamp(min=1)
