"""What jobs ask of a cluster."""

from dataclasses import dataclass, field

from omegaconf import MISSING


@dataclass
class Need:
    """What one job asks of each of its nodes: threads, megabytes, minutes, GPUs."""

    threads: int = MISSING
    mem_mb: int = MISSING
    runtime: int = MISSING
    gpu: int = MISSING


@dataclass
class Resources:
    """What one job of each stage asks for. Snakemake alone reads it."""

    laptop: Need = field(default_factory=Need)
    archive: Need = field(default_factory=Need)
    crawl: Need = field(default_factory=Need)
    curate: Need = field(default_factory=Need)
    relate: Need = field(default_factory=Need)
    preflight: Need = field(default_factory=Need)
    sft: Need = field(default_factory=Need)
    grpo: Need = field(default_factory=Need)
    answer: Need = field(default_factory=Need)
    evaluate: Need = field(default_factory=Need)
    ood: Need = field(default_factory=Need)
    report: Need = field(default_factory=Need)
