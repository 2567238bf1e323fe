"""The GRPO objective (paper Eq. 2): clipped ratio times group-normalised advantage, less a KL term.

Our choices where the paper is silent: the ratio is per token; a sequence's loss is the mean over its tokens, the
batch's the mean over sequences; KL is the unbiased per-token estimate exp(d) - d - 1 with d = log ref - log policy.
"""

from dataclasses import dataclass

import torch

STD_FLOOR = 1e-4
ZERO_VARIANCE = 1e-6


def group_advantages(rewards: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return advantages (r - mean) / std of [prompts, group] rewards, and which groups [prompts] carry a signal.

    A group whose rewards are all alike has zero advantage; it is never divided by a tiny deviation.
    """
    deviation = rewards.std(1, keepdim=True)
    live = deviation[:, 0] > ZERO_VARIANCE
    advantages = (rewards - rewards.mean(1, keepdim=True)) / (deviation + STD_FLOOR)
    return advantages * live[:, None], live


@dataclass(frozen=True)
class LossTerms:
    """The loss to minimise, and the mean KL and clipped share for the log."""

    loss: torch.Tensor
    kl: float
    clipped: float


def grpo_loss(
    logprobs: torch.Tensor,
    old: torch.Tensor,
    reference: torch.Tensor | None,
    advantages: torch.Tensor,
    mask: torch.Tensor,
    *,
    clip: float,
    kl_coefficient: float,
    sequences: int,
) -> LossTerms:
    """Return the loss over [rows, tokens] log-probabilities with [rows] advantages.

    `sequences` is the number of samples of the whole batch: rows left out for lack of signal stay in the denominator.
    """
    ratio = (logprobs - old).exp()
    gain = advantages[:, None]
    surrogate = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    loss, kl = -surrogate, torch.zeros_like(surrogate)
    if reference is not None:
        distance = reference - logprobs
        kl = distance.exp() - distance - 1
        loss = loss + kl_coefficient * kl
    lengths = mask.sum(1)
    mean = ((loss * mask).sum(1) / lengths).sum() / sequences
    outside = ((ratio - 1).abs() > clip) & mask
    return LossTerms(mean, _mean(kl, mask), _mean(outside, mask))


def _mean(values: torch.Tensor, mask: torch.Tensor) -> float:
    return float((values.detach() * mask).sum() / mask.sum())
