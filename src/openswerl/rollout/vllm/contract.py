"""The weights served are the weights trained: both say how likely a few fixed texts are."""

import math
from collections.abc import Callable, Sequence

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.distributed import gather
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.packing import Tree
from openswerl.rollout.agreement import PROBES

Scores = Callable[[Sequence[list[int]]], list[list[float]]]


def probes_of(tokenizer: PreTrainedTokenizerBase, most: int) -> list[list[int]]:
    """Return the token ids of the fixed texts, each of 2 to `most` tokens."""
    encoded = [tokenizer.encode(probe, add_special_tokens=False)[:most] for probe in PROBES]
    return [ids for ids in encoded if len(ids) > 1]


def policy_scores(policy: PreTrainedModel, probes: Sequence[list[int]], forward: str) -> list[list[float]]:
    """Return the log-probability of each token but the first, at temperature 1; under ZeRO-3 all processes call it."""
    trees = [Tree(ids[:1], [ids[1:]]) for ids in probes]
    with torch.no_grad():
        done = branch_logprobs(policy, trees, forward=forward)
    return [row[mask].tolist() for row, mask in zip(done.logprobs, done.mask, strict=True)]


def check_served(
    policy: PreTrainedModel, probes: Sequence[list[int]], served: Scores | None, forward: str, max_gap: float
) -> float:
    """Return the mean distance, in nats a token, between the policy's log-probabilities and the served ones.

    Every process calls it; those with a `served` compare, and all of them raise UserError if it exceeds `max_gap`
    anywhere, or is no number.
    """
    ours = policy_scores(policy, probes, forward)
    found = [_gap(ours, served(probes))] if served else []
    gap = max(gather(found), key=lambda value: math.inf if math.isnan(value) else value)
    if not gap <= max_gap:
        raise UserError(
            f"the weights that vLLM serves are not those that were published: log-probabilities differ by {gap:.3g} "
            f"nats a token on average, more than rollout.engine.max_gap={max_gap:g}; if model.dtype alone explains "
            "that, raise it, else choose rollout=local and report a bug"
        )
    return gap


def _gap(ours: Sequence[list[float]], theirs: Sequence[list[float]]) -> float:
    pairs = [pair for one, other in zip(ours, theirs, strict=True) for pair in zip(one, other, strict=True)]
    return sum(abs(one - other) for one, other in pairs) / len(pairs)
