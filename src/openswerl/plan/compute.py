"""FLOPs of a step, and how long it takes on the busiest device. A multiplication and an addition are two FLOPs.

Of matrices 2 FLOPs a weight and token forwards and twice that backwards (Kaplan et al., arXiv 2001.08361, section 2.1);
of attention 4 a query, key and width, of causal pairs alone. Recomputed layers are not counted: `plan.mfu` bears them.
"""

from dataclasses import dataclass, replace

from omegaconf import DictConfig

from openswerl.plan import sampling
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape


@dataclass(frozen=True)
class Device:
    """What is reckoned with of a device: FLOPs and bytes a second that work gets, and seconds of a decoding step."""

    flops: float
    bytes: float
    overhead: float
    publish: float

    @classmethod
    def of(cls, plan: DictConfig) -> "Device":
        """Return it from conf/plan."""
        return cls(
            flops=plan.device.teraflops * 1e12 * plan.mfu,
            bytes=plan.device.terabytes_per_s * 1e12 * plan.bandwidth_use,
            overhead=plan.decode_overhead_ms / 1e3,
            publish=plan.publish_gigabytes_per_s * 1e9,
        )


@dataclass(frozen=True)
class Time:
    """Seconds of a step by phase. Phases follow each other: nothing overlaps in our loop (grpo/trainer.py)."""

    publish: float
    generate: float
    train: float

    @property
    def step(self) -> float:
        """Seconds of the whole step."""
        return self.publish + self.generate + self.train


def filled(layout: Layout, fill: float) -> Layout:
    """Return the layout with prompts and answers of mean length; sft's rows are packed full."""
    if layout.stage == "sft":
        return layout
    return replace(layout, prompt=max(1, round(layout.prompt * fill)), response=max(1, round(layout.response * fill)))


def tokens_of(layout: Layout) -> int:
    """Return the tokens that all processes read in a step: packed, a prompt counts once for its group."""
    if layout.stage == "sft":
        return layout.prompts * layout.prompt
    if layout.forward == "padded":
        return layout.prompts * layout.group * (layout.prompt + layout.response)
    return layout.prompts * (layout.prompt + layout.group * layout.response)


def forward_flops(layout: Layout, shape: Shape) -> float:
    """Return the FLOPs of one forward pass over all rows of a step; the head reads answers alone."""
    answers = layout.prompts * (layout.prompt if layout.stage == "sft" else layout.group * layout.response)
    blocks = shape.layers * sum(rows * columns for rows, columns in shape.linear.values())
    return 2.0 * (tokens_of(layout) * blocks + answers * shape.head) + attention_flops(layout, shape)


def attention_flops(layout: Layout, shape: Shape) -> float:
    """Return those of attention: each token sees what is before it on its own path."""
    prompt, response = layout.prompt, layout.response
    once = layout.prompts * (layout.group if layout.forward == "padded" and layout.stage == "grpo" else 1)
    pairs = once * prompt * prompt / 2
    if layout.stage == "grpo":
        pairs += layout.prompts * layout.group * response * (prompt + response / 2)
    return 4.0 * shape.layers * shape.query * pairs


def training_flops(layout: Layout, shape: Shape) -> float:
    """Return the FLOPs of the passes of an optimiser step: with adapters the frozen weights need no gradient."""
    passes = (2 if layout.rank else 3) + (1 if layout.kl else 0)
    return passes * forward_flops(layout, shape)


def time_of(layout: Layout, shape: Shape, device: Device, fill: float) -> Time:
    """Return the seconds of a training step; sft draws no samples in it."""
    mean = filled(layout, fill)
    rows = mean.share / mean.prompts  # of the busiest team
    train = training_flops(mean, shape) * rows / mean.team / device.flops
    if layout.stage == "sft":
        return Time(0.0, 0.0, train)
    return Time(publish_seconds(layout, shape, device), generate_seconds(layout, shape, device, fill), train)


def publish_seconds(layout: Layout, shape: Shape, device: Device) -> float:
    """Return the seconds for new weights to reach a server, which reads them from files (rollout/vllm/links.py)."""
    if layout.sampler != "server" or layout.rank:
        return 0.0
    return 2 * layout.size * shape.parameters / device.publish


def generate_seconds(layout: Layout, shape: Shape, device: Device, fill: float) -> float:
    """Return the seconds of sampling one step: those of its longest answer, at the limit.

    Rows that do not fit into an engine's cache at once wait.
    """
    if layout.sampler == "elsewhere":
        return 0.0
    prompts = layout.prompts if layout.sampler == "server" else -(-layout.prompts // layout.world)
    mean = filled(layout, fill)
    waves = waves_of(layout, shape, prompts, mean)
    rows = prompts * layout.group / waves
    token = token_seconds(layout, shape, device, rows, mean.prompt + mean.response / 2)
    reading = prompts * 2 * shape.parameters * mean.prompt / (layout.tensor_parallel * device.flops)
    return reading + waves * layout.response * token


def waves_of(layout: Layout, shape: Shape, prompts: int, mean: Layout) -> float:
    """Return how often a cache, or a batch of our own sampler, is filled; a group's prompt is kept once in both."""
    if layout.sampler == "local":
        return float(-(-prompts // max(1, layout.batch_rows // layout.group)))
    needed = prompts * (mean.prompt + layout.group * mean.response)
    return max(1.0, needed / max(1.0, sampling.cache_tokens(layout, shape)))


def token_seconds(layout: Layout, shape: Shape, device: Device, rows: float, context: float) -> float:
    """Return the seconds of one token of so many rows: of reading weights and caches, or of reckoning, if longer."""
    parts = layout.tensor_parallel
    read = layout.size * shape.parameters + rows * context * shape.cache_bytes(layout.size)
    return device.overhead + max(read / device.bytes, 2 * shape.parameters * rows / device.flops) / parts
