"""Bytes that a forward pass keeps for the backward pass of one row, counted from what our modules save.

Per token and block (transformers' Llama and Qwen2 blocks): two norms, which save their input in float32, the normed
value and the scaled one; queries, keys, values and attention's output (models/by_parts.py; FlexAttention saves the
same) with a float32 log-sum-exp a head; the residual between; and four values as wide as the MLP. Attention scores are
never stored. A team of processes (models/ulysses.py) shares a row; each keeps as much in attention as outside of it.
"""

from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape

FLOAT = 4
CHUNK = 512  # tokens whose logits exist at once (models/logprobs.py)


def block_bytes(shape: Shape, size: int) -> int:
    """Bytes of one token in one block. In float32 a norm's input is no copy."""
    norm = (FLOAT + 2 * size if size < FLOAT else 2 * size) * shape.hidden
    attention = size * 2 * (shape.query + shape.key) + FLOAT * shape.heads
    return 2 * norm + 2 * size * shape.hidden + attention + 4 * size * shape.intermediate


def kept(layout: Layout, shape: Shape) -> float:
    """What all blocks keep; with gradient checkpointing each keeps its input alone."""
    each = layout.size * shape.hidden if layout.checkpointing else block_bytes(shape, layout.size)
    return float(layout.stretch * shape.layers * each)


def recomputed(layout: Layout, shape: Shape) -> float:
    """One block at work in the backward pass: its values, if they are computed again, and two gradients of its MLP."""
    again = block_bytes(shape, layout.size) if layout.checkpointing else 0
    return float(layout.stretch * (again + layout.size * (2 * shape.intermediate + shape.hidden)))


def ends(layout: Layout, shape: Shape) -> float:
    """After the last block: its norm, the hidden states, and those before the tokens that are asked for, twice."""
    size = layout.size
    norm = (FLOAT + size if size < FLOAT else size) * shape.hidden
    return float(layout.stretch * (norm + size * shape.hidden) + 2 * layout.asked * size * shape.hidden)


def logits(layout: Layout, shape: Shape) -> float:
    """One chunk in the backward pass: logits, their float32 copy, and two more of that for softmax and entropy."""
    copies = 3 * FLOAT + (layout.size if layout.size < FLOAT else 0)
    return float(min(CHUNK, max(1, layout.asked)) * shape.vocabulary * copies)
