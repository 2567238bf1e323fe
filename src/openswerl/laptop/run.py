"""The laptop stage: write the world."""

import random
from typing import Any

from omegaconf import DictConfig

from openswerl.crawl.git import clone_path
from openswerl.files import write_jsonl, write_text
from openswerl.laptop import vocabulary as words
from openswerl.laptop.archive import Stored, write_archive
from openswerl.laptop.benchmark import benchmark_rows
from openswerl.laptop.fixes import fix_something
from openswerl.laptop.history import import_history
from openswerl.laptop.noise import NOISE
from openswerl.laptop.repository import Repository, found
from openswerl.laptop.templates import HELD, TRAIN, Template
from openswerl.stage import Job

NOISE_PER_REPOSITORY = 6


def run(job: Job) -> dict[str, Any]:
    """Generate repositories with history, archive hours about them, and the mini benchmark."""
    world = job.cfg.data.world
    plans = _plans(world)
    names = [f"{owner}/{package}" for owner in words.OWNERS for package in words.PACKAGES]
    random.Random(f"{world.seed} names").shuffle(names)
    stored: dict[str, list[Stored]] = {"train": [], "gate": [], "templates": []}
    for i, (split, templates) in enumerate(plans):
        repository = _write(names[i], random.Random(f"{world.seed} {names[i]}"), split, templates, world)
        folder = clone_path(job.out / "repos", names[i])
        stored[split].append(Stored(repository, folder, import_history(folder, repository.commits, repository.refs)))
        if (i + 1) % 10 == 0:
            print(f"laptop: {i + 1}/{len(plans)} repositories", flush=True)
    everything = [one for group in stored.values() for one in group]
    events = write_archive(job.out / "gharchive", everything)
    rows = [row for split in ("gate", "templates") for row in benchmark_rows(stored[split], split)]
    write_jsonl(job.out / "benchmark" / "rows.jsonl", rows)
    held = [one.repository.name for split in ("gate", "templates") for one in stored[split]]
    write_text(job.out / "benchmark" / "repositories.txt", "".join(f"{name}\n" for name in sorted(held)))
    pulls = sum(len(one.repository.pulls) for one in everything)
    return {"repositories": len(everything), "pull_requests": pulls, "events": events, "benchmark": len(rows)}


def _plans(world: DictConfig) -> list[tuple[str, list[Template]]]:
    train = [("train", TRAIN)] * world.repositories
    gate = [("gate", TRAIN)] * world.gate_repositories
    return train + gate + [("templates", HELD)] * world.template_repositories


def _write(name: str, rng: random.Random, split: str, templates: list[Template], world: DictConfig) -> Repository:
    """Simulate one repository's life; held-out ones bring tests, training ones noise."""
    held = split != "train"
    fixes = world.fixes_per_heldout_repository if held else world.fixes_per_repository
    pulls = fixes + NOISE_PER_REPOSITORY
    package = name.partition("/")[2]
    repository = found(name, package, rng, templates, held=held, untidy=world.untidy, pulls=pulls)
    steps: list[Any] = [None] * fixes
    if not held:
        steps += rng.sample(NOISE, NOISE_PER_REPOSITORY)
        rng.shuffle(steps)
    for noise in steps:
        if noise is None:
            fix_something(repository, with_tests=held)
        else:
            noise(repository)
    return repository
