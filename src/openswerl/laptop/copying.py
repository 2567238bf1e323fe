"""Start a small Llama with a copying circuit, which plain training would take most of its budget to find.

Layer-0 heads look one and two tokens back; layer-1 heads find the place whose previous tokens equal the current ones
and copy what stands there. At step 0 the model already continues most repeated random text.
"""

import torch
from transformers import LlamaForCausalLM

ROPE_THETA = 1e5
SHARP = 3.5
MATCH = 4.0
MIX = 0.3
OUT = 1.5
CONSTANT = 0.3
EMBEDDING = 0.1
LOW_FREQUENCIES = 6


@torch.no_grad()
def start_copying(model: LlamaForCausalLM) -> None:
    """Overwrite the weights of a model of two layers or more, two heads, hidden size 2 x head size."""
    width = model.config.hidden_size
    size = width // model.config.num_attention_heads
    half = size // 2
    embedding = model.model.embed_tokens.weight
    embedding.normal_(0, EMBEDDING)
    embedding[:, 0] = CONSTANT
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    looking, matching = model.model.layers[0].self_attn, model.model.layers[1].self_attn
    angles = ROPE_THETA ** (-torch.arange(half).float() / half)
    keep = torch.ones(half)
    keep[:LOW_FREQUENCIES] = 0
    keep = torch.cat([keep, keep])[:, None]
    for head in range(2):
        rows = slice(head * size, (head + 1) * size)
        spread, gather = _orthogonal(width, size), _orthogonal(width, size).T
        _look_back(looking, rows, angles[:LOW_FREQUENCIES] * (head + 1), half)
        looking.v_proj.weight[rows] = MIX * gather
        looking.o_proj.weight[:, rows] = MIX * spread
        if head == 0:
            query, key = MATCH * keep * gather, MATCH * keep * spread.T
        matching.q_proj.weight[rows], matching.k_proj.weight[rows] = query, key
        copied = _orthogonal(width, size)
        matching.v_proj.weight[rows], matching.o_proj.weight[:, rows] = OUT * copied.T, OUT * copied


def _orthogonal(rows: int, columns: int) -> torch.Tensor:
    return torch.linalg.qr(torch.randn(rows, columns))[0]


def _look_back(attention: torch.nn.Module, rows: slice, angles: torch.Tensor, half: int) -> None:
    """Make a head attend to a fixed distance: a constant input component, turned by the rotary phase of it."""
    count = len(angles)
    attention.q_proj.weight[rows] = 0  # type: ignore[operator,union-attr]
    attention.k_proj.weight[rows] = 0  # type: ignore[operator,union-attr]
    attention.q_proj.weight[rows, 0][:count] = SHARP  # type: ignore[operator,union-attr,index]
    attention.k_proj.weight[rows, 0][:count] = SHARP * angles.cos()  # type: ignore[operator,union-attr,index]
    attention.k_proj.weight[rows, 0][half : half + count] = SHARP * angles.sin()  # type: ignore[operator,union-attr,index]
