"""Attention of many samples to one prompt, without a copy of the prompt's keys and values for each of them.

The scores of a row against its prompt and against its own tokens go through one softmax, so the result is that of
ordinary attention over prompt + row. On a CPU, reading the copies costs most of the time of a decoding step.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AttentionInterface, Cache, PreTrainedModel

from openswerl.models.attention import check_options

NAME = "openswerl_shared_prompt"


@dataclass(frozen=True)
class SharedPrompt:
    """Keys and values of each layer, [prompts, heads, width, size]; mask [prompts, width]; where each row belongs.

    `slots` [rows] is prompt x group + place; rows may be missing.
    """

    keys: list[torch.Tensor]
    values: list[torch.Tensor]
    mask: torch.Tensor
    group: int
    slots: torch.Tensor

    @classmethod
    def of(cls, cache: Cache, mask: torch.Tensor, group: int) -> "SharedPrompt":
        """Return the prompt side for `group` rows per prompt from the cache of a pass over the prompts."""
        slots = torch.arange(len(mask) * group, device=mask.device)
        layers: list[Any] = list(cache.layers)
        return cls([layer.keys for layer in layers], [layer.values for layer in layers], mask, group, slots)

    def keep(self, rows: torch.Tensor) -> "SharedPrompt":
        """Return the prompt side for some of the rows; prompts without a row are dropped."""
        slots = self.slots[rows]
        prompts, place = torch.unique(slots // self.group, return_inverse=True)
        keys, values = [key[prompts] for key in self.keys], [value[prompts] for value in self.values]
        return SharedPrompt(keys, values, self.mask[prompts], self.group, place * self.group + slots % self.group)

    def spread(self, rows: torch.Tensor, heads: int) -> torch.Tensor:
        """Lay rows [rows, all heads, length, n] out as [prompts, heads, group x repeats x length, n]."""
        count = len(self.mask) * self.group
        if len(rows) < count:
            rows = rows.new_zeros(count, *rows.shape[1:]).index_copy(0, self.slots, rows)
        parts = rows.unflatten(1, (heads, -1)).unflatten(0, (-1, self.group)).transpose(1, 2)
        return parts.flatten(2, 4)

    def gather(self, laid: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """Undo `spread` for rows shaped like `like` [rows, all heads, length, ...]."""
        heads, length = laid.shape[1], like.shape[2]
        parts = laid.unflatten(2, (self.group, -1, length)).transpose(1, 2)
        rows = parts.flatten(0, 1).reshape(-1, like.shape[1], length, laid.shape[-1])
        assert heads <= like.shape[1]
        return rows if len(rows) == len(like) else rows[self.slots]


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    prompt: SharedPrompt,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Attention function of `transformers`: query [rows, heads, length, size], the rows' own key and value.

    `attention_mask` [rows or 1, 1, length, own length] is True where a row may look at itself. Windows are those that
    `agreement.check_policy` lets through: no row reaches beyond them. Raises UserError for what is not computed here.
    """
    check_options(options)
    layer = int(module.layer_idx)  # type: ignore[arg-type]
    heads, width = key.shape[1], prompt.mask.shape[1]
    query = query * scaling
    far = prompt.spread(query, heads) @ prompt.keys[layer].transpose(-1, -2)
    far = prompt.gather(far.masked_fill(~prompt.mask[:, None, None, :], float("-inf")), query)
    near = _grouped(query, heads) @ key.transpose(-1, -2)
    near = near.reshape(*query.shape[:3], -1)
    near = near.masked_fill(~attention_mask, float("-inf"))
    weights = torch.softmax(torch.cat([far, near], -1), -1, dtype=torch.float32).to(query.dtype)
    out = prompt.gather(prompt.spread(weights[..., :width], heads) @ prompt.values[layer], query)
    out = out + (_grouped(weights[..., width:], heads) @ value).reshape(query.shape)
    return out.transpose(1, 2).contiguous(), None


def _grouped(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """Lay [rows, all heads, length, n] out as [rows, heads, repeats x length, n], so that no key is copied for them."""
    return rows.unflatten(1, (heads, -1)).flatten(2, 3)


AttentionInterface.register(NAME, attend)


@contextmanager
def shared_attention(model: PreTrainedModel) -> Iterator[None]:
    """Make the model attend to a shared prompt, handed to its forward as `prompt=`, inside the block."""
    usual = model.config._attn_implementation
    model.config._attn_implementation = NAME
    try:
        yield
    finally:
        model.config._attn_implementation = usual
