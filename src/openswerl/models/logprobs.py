"""Log-probabilities of completions: a packed row that reads each prompt once, or one padded row for each completion.

Both give the same numbers (a test compares values and gradients). Logits never exist in full: the head and the
log-softmax run over 512 tokens at a time and again in the backward pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from openswerl.errors import UserError
from openswerl.models.attention import mask_for, use_packed_attention
from openswerl.models.head import Head, within_head
from openswerl.models.packing import Packed, Tree, lengths_mask, pack, pad
from openswerl.models.ulysses import Part, Team

CHUNK = 512
# Nothing random happens inside, see dropout.py. The check would take a weight that ZeRO-3 emptied for another tensor.
CHECKPOINT: dict[str, Any] = {"use_reentrant": False, "preserve_rng_state": False, "determinism_check": "none"}


@dataclass(frozen=True)
class TokenLogprobs:
    """Log-probabilities, mask and entropies (nats, without gradient), all [rows, longest]; padding holds 0."""

    logprobs: torch.Tensor
    mask: torch.Tensor
    entropy: torch.Tensor


def branch_logprobs(
    policy: PreTrainedModel,
    trees: Sequence[Tree],
    *,
    temperature: float = 1.0,
    forward: str = "packed",
    team: Team | None = None,
) -> TokenLogprobs:
    """Return float32 values with a row for each branch of each tree, in order.

    `temperature` is the one that the branches were sampled at, so that a ratio is of the sampling policy. `forward` is
    "packed", or "padded" for a model whose attention cannot be exchanged. Raises UserError for another.

    All processes of a `team` must call it with the same trees. They read one packed row together, and each returns the
    whole row's values, with a gradient to those of its own stretch: the policy's gradient is the sum over the team.
    """
    if forward not in FORWARDS:
        raise UserError(f"model.forward={forward} is unknown: choose {' or '.join(FORWARDS)}")
    if team is not None:
        hidden, part, mask = _shared(policy, trees, team)
        values = within_head(policy, hidden, partial(chosen_logprobs, part.targets, temperature))
        logprobs, entropy = (team.join(one, part.own) for one in values)
    else:
        hidden, targets, mask = FORWARDS[forward](policy, trees)
        logprobs, entropy = within_head(policy, hidden, partial(chosen_logprobs, targets, temperature))
    table = torch.zeros(mask.shape, device=mask.device)
    return TokenLogprobs(table.masked_scatter(mask, logprobs), mask, table.masked_scatter(mask, entropy))


def _packed(policy: PreTrainedModel, trees: Sequence[Tree]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return hidden states [T, size] before the T branch tokens, these tokens, and their mask."""
    packed = pack(trees, policy.device)
    return _read(policy, packed, packed), packed.targets, packed.mask


def _shared(policy: PreTrainedModel, trees: Sequence[Tree], team: Team) -> tuple[torch.Tensor, Part, torch.Tensor]:
    """Return hidden states [M, size] before the branch tokens of this process's part, the part, and the row's mask."""
    packed = pack(team.filled(trees), policy.device)
    part = team.part(packed)
    return _read(policy, packed, part, team=team), part, packed.mask


def _read(policy: PreTrainedModel, row: Packed, part: Packed | Part, **options: Any) -> torch.Tensor:
    """Return hidden states at the sources of a part of a row, which may be all of it."""
    use_packed_attention(policy)
    hidden: torch.Tensor = policy.base_model(
        input_ids=part.tokens,
        attention_mask=mask_for(row),
        position_ids=part.positions,
        use_cache=False,
        layout=row.layout,
        **options,
    ).last_hidden_state
    return hidden[0].index_select(0, part.sources)


def _padded(policy: PreTrainedModel, trees: Sequence[Tree]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same from a row prompt + branch for each branch."""
    pairs = [(tree.prompt, branch) for tree in trees for branch in tree.branches]
    tokens, present = pad([prompt + branch for prompt, branch in pairs], policy.device)
    hidden = policy.base_model(input_ids=tokens, attention_mask=present.long(), use_cache=False).last_hidden_state
    asked = lengths_mask([len(prompt) for prompt, _ in pairs], policy.device)
    answers = present.clone()
    answers[:, : asked.shape[1]] &= ~asked
    mask = lengths_mask([len(branch) for _, branch in pairs], policy.device)
    return hidden[:, :-1][answers[:, 1:]], tokens[answers], mask


FORWARDS = {"packed": _packed, "padded": _padded}


def chosen_logprobs(
    targets: torch.Tensor, temperature: float, head: Head, hidden: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probabilities of `targets` [T] under the head's softmax at `hidden` [T, size], and entropies [T]."""
    parts = [
        checkpoint(_chunk, head, states, chosen, temperature, **CHECKPOINT)
        for states, chosen in zip(hidden.split(CHUNK), targets.split(CHUNK), strict=True)
    ]
    logprobs, entropies = zip(*parts, strict=True)
    return torch.cat(logprobs), torch.cat(entropies)


def _chunk(
    head: Head, hidden: torch.Tensor, targets: torch.Tensor, temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The entropy comes last: recomputing ends at what the gradient needs."""
    logits = head(hidden).float()
    if temperature != 1:
        logits = logits / temperature
    total = logits.detach().logsumexp(-1, keepdim=True)
    logprobs = ChosenLogprob.apply(logits, total, targets)
    return logprobs, _entropy(logits.detach(), total)


def _entropy(logits: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """H = log sum exp z - sum p z."""
    return total[:, 0] - torch.linalg.vecdot((logits - total).exp_(), logits)


class ChosenLogprob(torch.autograd.Function):
    """z[target] - log sum exp z, with the gradient onehot - softmax written in one pass."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, total: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return [T] from logits [T, V], their log-sum-exp [T, 1] and targets [T]."""
        ctx.save_for_backward(logits, total, targets)
        return (logits.gather(-1, targets[:, None]) - total)[:, 0]

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of the logits."""
        logits, total, targets = ctx.saved_tensors
        gradient = (logits - total).exp_().mul_(-grads[0][:, None])
        gradient.scatter_add_(1, targets[:, None], grads[0][:, None].to(gradient.dtype))
        return gradient, None, None
