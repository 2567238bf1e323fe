"""Log-probabilities of completions, each prompt read once for all its completions.

The prompt's keys and values are computed with gradient and shared through the cache; the result equals a padded pass
over prompt + completion rows (a test compares both, gradients too).
"""

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from openswerl.rollout.decoding import left_pad, read_prompts
from openswerl.rollout.prefix import SharedPrompt, shared_attention


def right_pad(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and mask, both [rows, longest], padding on the right."""
    longest = max(map(len, rows))
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = True
    return tokens.to(device), mask.to(device)


def completion_logprobs(
    policy: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    completions: Sequence[Sequence[int]],
    temperature: float = 1.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probabilities and mask, both [completions, longest]; completions are grouped by prompt, G each.

    `temperature` is the one that the completions were sampled at, so that the ratio is of the sampling policy.
    """
    group = len(completions) // len(prompts)
    asked, asked_mask = left_pad(prompts, policy.device)
    tokens, mask = right_pad(completions, policy.device)
    before, cache = read_prompts(policy, asked, asked_mask)
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool, device=policy.device).tril()
    offsets = asked_mask.sum(1).repeat_interleave(group)[:, None]
    with shared_attention(policy):
        after = policy.base_model(
            input_ids=tokens,
            attention_mask=causal[None, None],
            position_ids=offsets + torch.arange(length, device=policy.device),
            use_cache=False,
            prompt=SharedPrompt.of(cache, asked_mask, group),
        ).last_hidden_state
    hidden = torch.cat([before[:, -1:].repeat_interleave(group, 0), after[:, :-1]], 1)
    return _gather(policy, hidden, tokens, mask, temperature), mask


def _gather(
    policy: PreTrainedModel, hidden: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor, temperature: float
) -> torch.Tensor:
    """Log-softmax at the real positions alone; padding holds 0."""
    logits = policy.lm_head(hidden[mask]).float() / temperature
    chosen = torch.log_softmax(logits, -1).gather(-1, tokens[mask][:, None])[:, 0]
    return torch.zeros(mask.shape, dtype=chosen.dtype, device=chosen.device).masked_scatter(mask, chosen)
