"""Evaluation, report and tracking."""

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Evaluate:
    """Repair with oracle files and execution of the tests (paper Table 2)."""

    benchmark: str = MISSING
    splits: dict[str, int] = MISSING
    related_files: int = MISSING
    samples: int = MISSING
    temperature: float = MISSING
    test_timeout_s: int = MISSING
    sandbox: str = MISSING
    reproduction_tests: int = MISSING


@dataclass
class Report:
    """What the tables and the page show."""

    title: str = MISSING
    confidence: float = MISSING
    resamples: int = MISSING
    bootstrap_seed: int = MISSING
    shown_samples: int = MISSING
    benchmark: str = MISSING
    splits: dict[str, int] = MISSING
    temperature: float = MISSING
    model: str = MISSING
    source: str = MISSING
    untidy: bool = MISSING


@dataclass
class Tracking:
    """metrics.jsonl is always written; W&B mirrors it."""

    wandb: str = MISSING
    project: str = MISSING
