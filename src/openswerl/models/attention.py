"""Attention over a packed row, registered with transformers: no part that the mask drops is computed.

On a CPU a row is done by parts (`by_parts.py`); on a GPU FlexAttention takes the mask as blocks. Without a layout the
function is PyTorch's ordinary attention, so a model keeps it for good: what gradient checkpointing recomputes in the
backward pass finds it still there.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch.nn.attention.flex_attention import BlockMask, create_block_mask
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.flex_attention import flex_attention_forward
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from openswerl.errors import UserError
from openswerl.models.by_parts import ByParts
from openswerl.models.packing import Layout, Packed
from openswerl.models.ulysses import Team

NAME = "openswerl_packed"
UNSUPPORTED = ("softcap", "s_aux", "position_bias")


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | BlockMask | None,
    layout: Layout | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    team: Team | None = None,
    **options: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attention function of transformers: query [1, heads, S, size], key and value [1, key heads, S, size].

    In a `team` S is this process's stretch; mask and layout are those of the whole row. Raises UserError for a model
    whose attention has parts that are not computed here.
    """
    if layout is None:
        assert not isinstance(attention_mask, BlockMask)
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **options
        )
    check_options(options, dropout)
    _check_window(options.get("sliding_window"), layout)
    whole = partial(_whole, module, attention_mask, layout, scaling)
    return (whole(query, key, value) if team is None else team.attend(whole, query, key, value)), None


def _whole(
    module: torch.nn.Module,
    attention_mask: torch.Tensor | BlockMask | None,
    layout: Layout,
    scaling: float | None,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
) -> torch.Tensor:
    """Return [1, S, heads, size] over the whole row."""
    out: torch.Tensor
    if isinstance(attention_mask, BlockMask):
        out, _ = flex_attention_forward(module, query, key, value, attention_mask, scaling=scaling)
        return out
    out = ByParts.apply(query, key, value, layout, scaling)
    return out.transpose(1, 2)


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)


def use_packed_attention(policy: PreTrainedModel) -> None:
    """Make the model attend by `attend` from now on. Raises UserError if its layers are not plain attention."""
    if policy.config._attn_implementation == NAME:
        return
    check_layers(policy)
    policy.config._attn_implementation = NAME


def check_layers(policy: PreTrainedModel) -> None:
    """Raise UserError unless all layers are attention that can be exchanged, as packed rows and the sampler need."""
    kinds = set(getattr(policy.config, "layer_types", None) or ()).difference(["full_attention", "sliding_attention"])
    if kinds or not policy._supports_attention_backend:
        why = ", ".join(sorted(kinds)) or "its attention is not exchangeable"
        raise UserError(
            f"{type(policy).__name__} can be neither sampled nor trained here ({why}); choose another model"
        )


def check_options(options: Mapping[str, Any], dropout: float = 0.0) -> None:
    """Raise UserError for parts of attention that are computed nowhere here."""
    used = [name for name in UNSUPPORTED if options.get(name) is not None] + ["dropout"] * (dropout > 0)
    if used:
        raise UserError(f"attention with {', '.join(used)} is not supported; choose another model")


def _check_window(window: int | None, layout: Layout) -> None:
    if window is not None and window < max(span.prompt + max(span.branches, default=0) for span in layout):
        raise UserError(
            f"packed rows do not support attention with a sliding_window of {window}, shorter than a row's longest "
            "path; set model.forward=padded"
        )


def mask_for(packed: Packed) -> torch.Tensor | BlockMask:
    """Return what to hand to the model as `attention_mask`: blocks on a GPU; on a CPU a mark, as `layout` says all."""
    if packed.tokens.device.type == "cpu":
        return torch.ones(1, 1, 1, 1, dtype=torch.bool)
    return block_mask(packed.layout, packed.tokens.device, compiled=True)


def block_mask(layout: Layout, device: torch.device, *, compiled: bool) -> BlockMask:
    """Return FlexAttention's mask; `compiled` spares a table of S x S."""
    trees, branches = (ids.to(device) for ids in _owners(layout))

    def sees(_batch: Any, _head: Any, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
        own = (branches[kv] == 0) | (branches[kv] == branches[q])
        return (trees[kv] == trees[q]) & own & (kv <= q)

    length = layout[-1].end
    return create_block_mask(sees, None, None, length, length, device=str(device), _compile=compiled)


def _owners(layout: Layout) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tree of each token and its branch, counted from 1; 0 is the prompt. Both [S]."""
    trees, branches = (torch.zeros(layout[-1].end, dtype=torch.int32) for _ in range(2))
    for number, span in enumerate(layout):
        trees[span.start : span.end] = number
        for branch, (first, end) in enumerate(span.bounds, 1):
            branches[first:end] = branch
    return trees, branches
