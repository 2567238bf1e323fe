"""Bytes that sampling takes on a device: vLLM's share (rollout/vllm), or our own sampler's (rollout/decoding.py)."""

from openswerl.plan.layout import GIB, Layout
from openswerl.plan.shapes import Shape

FLOAT = 4
# Defaults of vLLM 0.32 (engine/arg_utils.py) on a GPU of more than 70 GiB: tokens of a pass, and rows.
PASS_TOKENS = {"colocated": 16384, "server": 8192}
ROWS = 1024
GRAPHS = 1.0 * GIB  # our guess: CUDA graphs of the usual batch sizes
ASLEEP = 1.0 * GIB  # our guess: what an engine leaves on the GPU while the trainer works


def engine_fixed(layout: Layout, shape: Shape) -> float:
    """What an engine needs on each of its GPUs before there is a cache: weights, one pass, logits in float32 twice."""
    parts = layout.tensor_parallel
    weights = layout.size * shape.parameters / parts
    tokens = PASS_TOKENS.get(layout.sampler, 0)
    widest = layout.size * tokens * (2 * shape.hidden + 2 * shape.intermediate / parts)
    return weights + widest + 2 * FLOAT * ROWS * shape.vocabulary / parts + GRAPHS


def engine_cache(layout: Layout, shape: Shape) -> float:
    """What is left of `engine.gpu_memory` on each GPU for keys and values; below 0 the engine does not start."""
    return layout.engine_share * layout.memory - engine_fixed(layout, shape)


def cache_tokens(layout: Layout, shape: Shape) -> float:
    """How many tokens the caches of an engine hold; where it has more GPUs than key heads, these are kept twice."""
    parts = min(layout.tensor_parallel, shape.kv_heads)
    return max(0.0, engine_cache(layout, shape)) * parts / shape.cache_bytes(layout.size)


def local_cache(layout: Layout, shape: Shape) -> float:
    """Our own sampler: a cache for each prompt of a batch and for each of its rows, kept at full length; logits."""
    prompts = max(1, layout.batch_rows // layout.group)
    if layout.stage == "grpo":
        prompts = min(prompts, layout.share)
    rows = prompts * layout.group
    tokens = prompts * layout.max_prompt + rows * layout.max_response
    passing = prompts * layout.max_prompt * layout.size * (2 * shape.hidden + 3 * shape.intermediate)
    logits = 3 * FLOAT * rows * shape.vocabulary
    return float(tokens * shape.cache_bytes(layout.size) + passing + logits)
