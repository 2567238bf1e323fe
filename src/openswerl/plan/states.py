"""Bytes of weights, gradients and optimiser on each device, as DeepSpeed lays them out (settings: models/zero.py).

Rajbhandari et al., ZeRO (arXiv 1910.02054), section 3.1 and 5, with what the settings change: gradients of bfloat16
weights add up in float32 in stages 2 and 3 (`grad_accum_dtype`), and the optimiser is PyTorch's AdamW.
"""

from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape

FLOAT = 4
MOMENTS = 8
# Defaults of DeepSpeed 0.19 (runtime/zero/config.py), in weights.
BUCKET = 500_000_000
LIVE = 1_000_000_000
PREFETCH = 50_000_000
SUB_GROUP = 1_000_000_000


def weights(layout: Layout, shape: Shape) -> float:
    """All weights in the model's number format; stage 3 spreads them, and with offload keeps them in main memory."""
    whole = layout.size * (shape.parameters + (layout.trained(shape) if layout.rank else 0))
    if layout.zero < 3:
        return whole
    return 0.0 if layout.offload else whole / layout.world


def reference(layout: Layout, shape: Shape) -> float:
    """The frozen copy of the base for the KL term; stage 3 spreads it (models/engine.py, frozen_copy)."""
    if not layout.reference:
        return 0.0
    whole = float(layout.size * shape.parameters)
    if layout.zero < 3:
        return whole
    return 0.0 if layout.offload else whole / layout.world


def optimiser(layout: Layout, shape: Shape) -> float:
    """AdamW's two moments in float32, and from stage 1 on the float32 weights that it steps; spread from stage 1 on."""
    if layout.offload:
        return 0.0
    return optimiser_whole(layout, shape) / (layout.world if layout.zero else 1)


def optimiser_whole(layout: Layout, shape: Shape) -> float:
    """The same of all processes together."""
    return float(layout.trained(shape) * (MOMENTS + (FLOAT if layout.zero else 0)))


def gradients(layout: Layout, shape: Shape) -> float:
    """Stages 0 and 1 keep all in the model's format, 2 and 3 a share in float32; and the head's, which is the largest.

    The head's gradient exists twice, as each chunk of logits adds one to the sum (models/logprobs.py).
    """
    trained = layout.trained(shape)
    head = 0 if layout.rank else 2 * layout.size * shape.head
    if layout.zero < 2:
        return float(layout.size * trained + head)
    return head + (0.0 if layout.offload else FLOAT * trained / layout.world)


def buffers(layout: Layout, shape: Shape) -> float:
    """What stage 3 gathers of the weights at a time, and the bucket that gradients are reduced in."""
    if not layout.zero:
        return 0.0
    bucket = BUCKET if layout.zero > 1 else min(BUCKET, layout.trained(shape))
    gathered = min(shape.parameters, max(LIVE, shape.head) + PREFETCH) if layout.zero == 3 else 0
    return float(layout.size * (bucket + gathered))


def step_copies(layout: Layout, shape: Shape) -> float:
    """What an optimiser step makes beside the states: the share's gradient in float32, and AdamW's one temporary.

    Stage 3 steps a sub-group of weights at a time.
    """
    if layout.offload:
        return 0.0
    trained = layout.trained(shape)
    stepped = min(trained, SUB_GROUP) if layout.zero == 3 else trained
    copies = FLOAT * (2 if layout.zero else 1)  # stage 0 steps the gradients as they are
    return copies * stepped / (layout.world if layout.zero else 1)
