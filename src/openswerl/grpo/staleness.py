"""Samples of another version of the policy are never used unnoticed."""

from collections.abc import Iterable

import torch

from openswerl.errors import UserError
from openswerl.rollout import Completion


def check_versions(completions: Iterable[Completion], step: int, stale: str) -> None:
    """Raise UserError for an answer of another version than `step`, or of none, unless `stale` is correct."""
    if stale == "correct":
        return
    if others := [one.version for one in completions if one.fault is None and one.version != step]:
        named = "no known version" if others[0] is None else f"version {others[0]}"
        raise UserError(
            f"a sample is of {named} of the policy, which is at {step}: the weights did not reach the sampler; "
            "rollout.stale=correct trains on such samples by importance weights"
        )


def sampled_logprobs(completions: Iterable[Completion], like: torch.Tensor) -> torch.Tensor | None:
    """Return the sampler's log-probabilities [rows, longest]; None if one of the samples has none."""
    sampled = torch.zeros_like(like)
    for row, completion in zip(sampled, completions, strict=True):
        if completion.logprobs is None:
            return None
        row[: len(completion.token_ids)] = torch.tensor(completion.logprobs)
    return sampled


def importance(old: torch.Tensor, sampled: torch.Tensor | None, cap: float) -> torch.Tensor:
    """Return how much likelier each token is under the policy than under its sampler, at most `cap`.

    Truncated importance sampling. Raises UserError without the sampler's log-probabilities.
    """
    if sampled is None:
        raise UserError("rollout.stale=correct needs log-probabilities, which the sampler does not give")
    return (old - sampled).exp().clamp(max=cap)
