"""Autoregressive sampling in which a prompt is read once for all its samples and finished rows leave the batch."""

import inspect
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from transformers import Cache, DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer

from openswerl.models.head import logits_of
from openswerl.rollout.prefix import SharedPrompt, shared_attention
from openswerl.rollout.seeds import uniforms

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


class Row(NamedTuple):
    """One sample: new tokens, their log-probabilities at the sampling temperature, and whether it ended by itself."""

    tokens: list[int]
    logprobs: list[float]
    finished: bool


@torch.no_grad()
def decode(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    *,
    samples: int,
    max_new: int,
    temperature: float,
    seeds: Sequence[int],
    ended: Callable[[list[int]], bool],
) -> list[Row]:
    """Return len(prompts) x samples rows, grouped by prompt; `ended` tells from a row's tokens that it is finished.

    Temperature 0 is greedy. Nothing is truncated (no top-k, no top-p), so sampling matches the log-probabilities that
    the loss uses. Each prompt has one seed, and each of its rows draws from (seed, number of the row) alone.
    """
    drawn = torch.from_numpy(uniforms(seeds, samples, max_new)).to(model.device)
    batch = _Batch(model, prompts, samples, max_new)
    for step in range(max_new):
        chosen, logprobs = choose(batch.logits, temperature, drawn[batch.alive, step])
        batch.record(chosen.tolist(), logprobs.tolist(), ended)
        if all(batch.done) or step == max_new - 1:
            break
        batch.advance(chosen, step)
    return batch.rows


def choose(logits: torch.Tensor, temperature: float, drawn: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a token for each row of logits [rows, vocabulary] and its log-probability (greedy: at temperature 1).

    By inversion: `drawn` [rows] holds one uniform number a row, where multinomial would draw one for every entry.
    """
    logprobs = torch.log_softmax(logits.float() / (temperature or 1.0), -1)
    if temperature == 0:
        tokens = logits.argmax(-1)
    else:
        cumulative = logprobs.double().exp().cumsum(-1)
        tokens = torch.searchsorted(cumulative, drawn[:, None] * cumulative[:, -1:], right=True)[:, 0]
        tokens = tokens.clamp(max=logits.shape[-1] - 1)
    return tokens, logprobs.gather(-1, tokens[:, None])[:, 0]


class _Batch:
    """All rows; of those still running the cache, next-token logits [rows, vocabulary], and where each stands."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Sequence[int]], samples: int, max_new: int) -> None:
        self.model = model
        tokens, mask = left_pad(prompts, model.device)
        hidden, cache = read_prompts(model, tokens, mask)
        self.prompt = SharedPrompt.of(cache, mask, samples)
        self.cache = Cache(layers=[_Slab(max_new) for _ in range(model.config.num_hidden_layers)])
        self.logits = logits_of(model, hidden[:, -1]).repeat_interleave(samples, 0)
        self.lengths = mask.sum(1).repeat_interleave(samples)
        self.rows = [Row([], [], False) for _ in range(len(prompts) * samples)]
        self.alive = list(range(len(self.rows)))

    @property
    def done(self) -> list[bool]:
        """Which of the rows that are still in the batch are finished."""
        return [self.rows[i].finished for i in self.alive]

    def record(self, chosen: list[int], logprobs: list[float], ended: Callable[[list[int]], bool]) -> None:
        """Append the chosen tokens to the rows that still run."""
        for i, token, logprob in zip(self.alive, chosen, logprobs, strict=True):
            row = self.rows[i]
            if not row.finished:
                row.tokens.append(token)
                row.logprobs.append(logprob)
                self.rows[i] = row._replace(finished=ended(row.tokens))

    def advance(self, chosen: torch.Tensor, step: int) -> None:
        """Feed the chosen tokens, first dropping finished rows if they are many."""
        running = [place for place, done in enumerate(self.done) if not done]
        if len(running) < COMPACT_BELOW * len(self.alive):
            self.alive = [self.alive[place] for place in running]
            keep = torch.tensor(running, device=chosen.device)
            chosen, self.lengths, self.prompt = chosen[keep], self.lengths[keep], self.prompt.keep(keep)
            self.cache.batch_select_indices(keep)
        everything = torch.ones(1, 1, 1, step + 1, dtype=torch.bool, device=chosen.device)
        with shared_attention(self.model):
            hidden = self.model.base_model(
                input_ids=chosen[:, None],
                attention_mask=everything,
                position_ids=(self.lengths + step)[:, None],
                use_cache=True,
                prompt=self.prompt,
                **{cache_argument(self.model): self.cache},
            ).last_hidden_state
        self.logits = logits_of(self.model, hidden[:, -1])


def read_prompts(model: PreTrainedModel, tokens: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, Cache]:
    """Run left-padded prompts [prompts, width]; returns hidden states and the cache, with gradient if enabled."""
    cache = DynamicCache(config=model.config)
    hidden = model.base_model(
        input_ids=tokens,
        attention_mask=prefill_mask(mask),
        position_ids=(mask.long().cumsum(1) - 1).clamp(min=0),
        use_cache=True,
        **{cache_argument(model): cache},
    ).last_hidden_state
    return hidden, cache


def prefill_mask(mask: torch.Tensor) -> torch.Tensor:
    """Causal mask [rows, 1, width, width] over left-padded rows; padding sees itself, as a softmax needs something."""
    width = mask.shape[1]
    causal = torch.ones(width, width, dtype=torch.bool, device=mask.device).tril()
    return (mask[:, None, None, :] & causal) | torch.eye(width, dtype=torch.bool, device=mask.device)


def cache_argument(model: PreTrainedModel) -> str:
    """The name of the cache argument, which changed between the transformers releases that we support."""
    return "cache" if "cache" in inspect.signature(model.base_model.forward).parameters else "past_key_values"
