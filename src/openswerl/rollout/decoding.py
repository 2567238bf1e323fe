"""Autoregressive sampling in which a prompt is read once for all its samples and finished rows leave the batch."""

import inspect
from collections.abc import Sequence

import torch
from transformers import Cache, PreTrainedModel
from transformers.cache_utils import DynamicLayer

COMPACT_BELOW = 0.8


class _Slab(DynamicLayer):
    """A cache layer that writes into memory reserved once, instead of growing by copying."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room, self.length = room, 0

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_, **__
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append [rows, heads, new, size] and return everything so far."""
        if not self.is_initialized:
            self.keys, self.values = self._reserve(key_states), self._reserve(value_states)
            self.is_initialized = True
        assert self.keys is not None and self.values is not None
        end = self.length + key_states.shape[-2]
        self.keys[:, :, self.length : end] = key_states
        self.values[:, :, self.length : end] = value_states
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_seq_length(self) -> int:
        """Return how many positions are filled."""
        return self.length

    def _reserve(self, states: torch.Tensor) -> torch.Tensor:
        rows, heads, _, size = states.shape
        return states.new_zeros(rows, heads, self.room, size)


def left_pad(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and mask, both [rows, longest], padding on the left."""
    longest = max(map(len, rows))
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows):
        tokens[i, longest - len(row) :] = torch.tensor(row)
        mask[i, longest - len(row) :] = True
    return tokens.to(device), mask.to(device)


@torch.no_grad()
def decode(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    *,
    samples: int,
    max_new: int,
    temperature: float,
    eos: int,
    generator: torch.Generator,
) -> list[list[int]]:
    """Return len(prompts) x samples rows of new token ids, grouped by prompt; a finished row ends with `eos`.

    Temperature 0 is greedy. Nothing is truncated (no top-k, no top-p), so sampling matches the log-probabilities that
    the loss uses.
    """
    batch = _Batch(model, prompts, samples, max_new)
    rows: list[list[int]] = [[] for _ in range(len(prompts) * samples)]
    for step in range(max_new):
        chosen = _choose(batch.logits, temperature, generator)
        batch.record(chosen, rows, eos)
        if batch.done.all() or step == max_new - 1:
            break
        batch.advance(chosen, step)
    return rows


class _Batch:
    """The rows still running: their cache, next-token logits [rows, vocabulary], and where each stands."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Sequence[int]], samples: int, max_new: int) -> None:
        self.model = model
        tokens, mask = left_pad(prompts, model.device)
        self.width = tokens.shape[1]
        self.cache = Cache(layers=[_Slab(self.width + max_new) for _ in range(model.config.num_hidden_layers)])
        positions = (mask.long().cumsum(1) - 1).clamp(min=0)
        hidden = self._forward(tokens, prefill_mask(mask), positions)
        self.cache.batch_repeat_interleave(samples)
        self.logits = model.lm_head(hidden[:, -1]).repeat_interleave(samples, 0)
        room = mask.new_ones(len(prompts), max_new)
        self.filled = torch.cat([mask, room], 1).repeat_interleave(samples, 0)
        self.lengths = mask.sum(1).repeat_interleave(samples)
        self.alive = torch.arange(len(prompts) * samples)
        self.done = torch.zeros(len(prompts) * samples, dtype=torch.bool)

    def record(self, chosen: torch.Tensor, rows: list[list[int]], eos: int) -> None:
        """Append the chosen tokens to the rows that still run."""
        for row, token, finished in zip(self.alive.tolist(), chosen.tolist(), self.done.tolist(), strict=True):
            if not finished:
                rows[row].append(token)
        self.done |= (chosen == eos).cpu()

    def advance(self, chosen: torch.Tensor, step: int) -> None:
        """Feed the chosen tokens, first dropping finished rows if they are many."""
        if (~self.done).float().mean() < COMPACT_BELOW:
            keep = (~self.done).nonzero()[:, 0]
            chosen, self.filled, self.lengths = chosen[keep], self.filled[keep], self.lengths[keep]
            self.alive, self.done = self.alive[keep], self.done[keep]
            self.cache.batch_select_indices(keep)
        mask = self.filled[:, None, None, : self.width + step + 1]
        hidden = self._forward(chosen[:, None], mask, (self.lengths + step)[:, None])
        self.logits = self.model.lm_head(hidden[:, -1])

    def _forward(self, tokens: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Run the body with a ready-made 4-D mask; returns hidden states [rows, new, hidden]."""
        cache = {cache_argument(self.model): self.cache}
        return self.model.base_model(
            input_ids=tokens, attention_mask=mask, position_ids=positions, use_cache=True, **cache
        ).last_hidden_state


def prefill_mask(mask: torch.Tensor) -> torch.Tensor:
    """Causal mask [rows, 1, width, width] over left-padded rows; padding sees itself, as a softmax needs something."""
    width = mask.shape[1]
    causal = torch.ones(width, width, dtype=torch.bool, device=mask.device).tril()
    return (mask[:, None, None, :] & causal) | torch.eye(width, dtype=torch.bool, device=mask.device)


def cache_argument(model: PreTrainedModel) -> str:
    """The name of the cache argument, which changed between the transformers releases that we support."""
    return "cache" if "cache" in inspect.signature(model.base_model.forward).parameters else "past_key_values"


def _choose(logits: torch.Tensor, temperature: float, generator: torch.Generator) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1, generator=generator)[:, 0]
