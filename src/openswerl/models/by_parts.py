"""Attention over a packed row on a CPU, with PyTorch's fused kernel for each part of it that is a plain rectangle.

Each prompt runs causally, all branches of a prompt against it in one call, each branch causally against itself; the two
parts of a branch meet through their log-sum-exps. Scores are never stored.
"""

from typing import Any

import torch

from openswerl.models.packing import Layout, Span


class ByParts(torch.autograd.Function):
    """Attention of [1, heads, S, size] by parts.

    The backward pass hands each part the output and log-sum-exp of the whole: the gradient of a softmax's part needs
    no other part of it.
    """

    @staticmethod
    def forward(
        ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, layout: Layout, scaling: float | None
    ) -> torch.Tensor:
        """Return [1, heads, S, size], laid out so that a transpose of heads and S is contiguous."""
        _, heads, length, size = query.shape
        out = query.new_empty(1, length, heads, size).transpose(1, 2)
        lse = torch.empty(1, length, heads, dtype=_accumulated(query.dtype), device=query.device).transpose(1, 2)
        for span in layout:
            for part, own in _own_parts(span):
                out[:, :, part], lse[:, :, part] = _flash(query, key, value, part, own, True, scaling)
            if (after := _branches(span)) is not None:
                far = _flash(query, key, value, after, slice(span.start, after.start), False, scaling)
                _merge(out[:, :, after], lse[:, :, after], *far)
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.layout, ctx.scaling = layout, scaling
        return out

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of query, key and value."""
        saved = ctx.saved_tensors
        into = [torch.zeros_like(x) for x in saved[:3]]
        for span in ctx.layout:
            for part, own in _own_parts(span):
                _flash_backward(into, grads[0], saved, part, own, True, ctx.scaling)
            if (after := _branches(span)) is not None:
                prompt = slice(span.start, after.start)
                _flash_backward(into, grads[0], saved, after, prompt, False, ctx.scaling)
        return *into, None, None


def _own_parts(span: Span) -> list[tuple[slice, slice]]:
    """Queries and keys of what is plainly causal: a document as a whole; of a tree, the prompt and each branch."""
    if len(span.branches) < 2:
        return [(slice(span.start, span.end),) * 2]
    return [(slice(*bounds),) * 2 for bounds in [(span.start, span.start + span.prompt), *span.bounds]]


def _branches(span: Span) -> slice | None:
    """The tokens that also see a prompt that is not part of their own causal stretch."""
    return slice(span.start + span.prompt, span.end) if len(span.branches) > 1 else None


def _flash(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    part: slice,
    seen: slice,
    causal: bool,
    scaling: float | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query[:, :, part], key[:, :, seen], value[:, :, seen], 0.0, causal, scale=scaling
    )
    return out, lse


def _flash_backward(
    into: list[torch.Tensor],
    grad: torch.Tensor,
    saved: tuple[torch.Tensor, ...],
    part: slice,
    seen: slice,
    causal: bool,
    scaling: float | None,
) -> None:
    """Add the gradients of one part to `into`."""
    query, key, value, out, lse = saved
    parts = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
        grad[:, :, part],
        query[:, :, part],
        key[:, :, seen],
        value[:, :, seen],
        out[:, :, part],
        lse[:, :, part],
        0.0,
        causal,
        scale=scaling,
    )
    for whole, where, piece in zip(into, (part, seen, seen), parts, strict=True):
        whole[:, :, where] += piece


def _merge(out: torch.Tensor, lse: torch.Tensor, far: torch.Tensor, far_lse: torch.Tensor) -> None:
    """Make `out` and `lse`, views of the row, those of both parts under one softmax."""
    both = torch.logaddexp(lse, far_lse)
    share = (far_lse - both).exp().unsqueeze(-1).to(out.dtype)
    out.lerp_(far, share)
    lse.copy_(both)


def _accumulated(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32
