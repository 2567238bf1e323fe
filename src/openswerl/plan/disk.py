"""Bytes and files that each stage writes: while it runs, and what is left of them."""

from dataclasses import dataclass

from omegaconf import DictConfig

from openswerl.graph import policies
from openswerl.plan import states
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape
from openswerl.plan.volume import Volume
from openswerl.plan.work import Asked

# Our guesses, in bytes: no stage was run on real data at this size.
EVENTS = 0.25  # typed events in Parquet, of the hour files
PULL_REQUEST = 5e3  # in Parquet, its files' contents included
# A SWE-bench image: 1.3 TB were seen for 140 instances (SWE-bench issue 144).
# Seen at laptop scale: bytes of a token of an answer and of what is told beside it; files of a clone, and of a row that
# is judged.
TOKEN, ANSWER, CLONE_FILES, JUDGED_FILES = 4, 350, 8, 6
IMAGE = {
    "docker": 9.3e9,
    "podman": 9.3e9,
    "apptainer": 9.3e9,
    "local": 0.1e9,
    "laptop": 0.0,
}
KEPT_IMAGES = {"docker": 1, "podman": 1, "apptainer": 1, "local": 1, "laptop": 0}
POLICY_FILES = 12  # at least; weights come in shards of 50 GB
SHARD = 50e9


@dataclass(frozen=True)
class Disk:
    """Bytes at most while a stage runs, bytes that stay, and files that stay."""

    most: float
    left: float
    files: float


def disk_of(
    cfg: DictConfig, shape: Shape, layouts: dict[str, Layout], volume: Volume, asked: dict[str, Asked]
) -> dict[str, Disk]:
    """Return what each stage of the graph writes, all runs of the grid together."""
    trained = len(cfg.grid.seed) * len(cfg.grid.variant)
    runs = {"sft": trained * sum(name.startswith("sft") for name in cfg.grid.baselines)}
    runs["grpo"] = trained * len(cfg.grid.reward)
    found = _data(volume)
    for stage, layout in layouts.items():
        text = asked[stage].samples * (ANSWER + TOKEN * asked[stage].response)
        found[stage] = _training(layout, shape, cfg[stage].checkpoints_kept, text, runs[stage])
    return found | {"evaluate": _evaluation(cfg, asked["evaluate"])}


def _data(volume: Volume) -> dict[str, Disk]:
    hours = volume.archive * (1 + EVENTS)
    clones = volume.repositories * volume.clone
    joined = volume.pull_requests * PULL_REQUEST
    instances = volume.seeds * 2 * PULL_REQUEST
    return {
        "archive": Disk(hours, hours, 2 * volume.hours),
        "crawl": Disk(clones + 2 * joined, clones + joined, volume.repositories * CLONE_FILES),
        "curate, relate": Disk(instances, instances, 20),
    }


def checkpoint_bytes(layout: Layout, shape: Shape) -> float:
    """Return the bytes of a checkpoint: weights as they are, and what the optimiser holds (models/checkpoints.py)."""
    adapters = layout.trained(shape) if layout.rank else 0
    return layout.size * (shape.parameters + adapters) + states.optimiser_whole(layout, shape)


def _training(layout: Layout, shape: Shape, kept: int, text: float, runs: int) -> Disk:
    """Checkpoints go when the stage has its result; one more is there while the oldest is not yet deleted."""
    policy = layout.size * shape.parameters
    left = runs * (policy + text)
    most = left + (kept + 1) * checkpoint_bytes(layout, shape)
    return Disk(most, left, runs * (POLICY_FILES + policy // SHARD))


def _evaluation(cfg: DictConfig, asked: Asked) -> Disk:
    """Answers with their patches, reports, and the images or environments of the benchmark."""
    own = cfg.evaluate
    rows = sum(own.splits.values())
    runs = (len(policies(cfg)) + 2) * len(cfg.grid.seed)  # and the two of the gate
    answers = asked.samples * (ANSWER + TOKEN * asked.response)
    images = IMAGE[own.backend] * (own.container.workers if own.container.prune else rows)
    return Disk(answers + images, answers + images, runs * rows * JUDGED_FILES + rows * KEPT_IMAGES[own.backend])
