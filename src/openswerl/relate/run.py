"""The relate stage: RL seeds and clones in, RL-ready instances out."""

import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from omegaconf import DictConfig

from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import GitError, require_git
from openswerl.crawl.join import Unusable
from openswerl.crawl.repositories import MAX_WORKERS
from openswerl.crawl.sources import clones_folder
from openswerl.files import write_jsonl
from openswerl.records import Instance, PullRequest, read_parquet, write_parquet
from openswerl.relate.instances import Related, make_instance
from openswerl.stage import Job


class Made(NamedTuple):
    """What became of one seed: an instance, or the reason why there is none."""

    pull: PullRequest
    instance: Instance | None
    related: list[Related]
    reason: str


def run(job: Job) -> dict[str, Any]:
    """Write instances.parquet, related.jsonl (why each unchanged file was chosen) and dropped.jsonl."""
    require_git()
    clones = Clones(clones_folder(job.cfg.data, job.inputs))
    pulls = read_parquet(job.inputs["curate"] / "pull_requests.parquet", PullRequest)
    made = make_all(pulls, clones, job.cfg.relate)
    instances = [item.instance for item in made if item.instance]
    dropped = [item for item in made if not item.instance]
    write_parquet(job.out / "instances.parquet", instances, Instance)
    write_jsonl(job.out / "related.jsonl", [msgspec.to_builtins(row) for item in made for row in item.related])
    rows = [{"repo": item.pull.repo, "number": item.pull.number, "reason": item.reason} for item in dropped]
    write_jsonl(job.out / "dropped.jsonl", rows)
    return {
        "seeds": len(pulls),
        "instances": len(instances),
        "dropped": dict(sorted(Counter(item.reason for item in dropped).items())),
        "related_files": sum(len(item.related) for item in made),
    }


def make_all(pulls: list[PullRequest], clones: Clones, cfg: DictConfig) -> list[Made]:
    """Return what became of every seed, by repository and number; each clone is opened once."""
    ordered = sorted(pulls, key=lambda pull: (pull.repo.lower(), pull.number))
    groups = [list(group) for _, group in groupby(ordered, lambda pull: pull.repo.lower())]
    with ThreadPoolExecutor(min(MAX_WORKERS, os.cpu_count() or 1)) as pool:
        return [made for group in pool.map(lambda group: _make_group(group, clones, cfg), groups) for made in group]


def _make_group(pulls: list[PullRequest], clones: Clones, cfg: DictConfig) -> list[Made]:
    try:
        with clones.open(pulls[0].repo) as clone:
            return [_make_one(pull, clone, cfg) for pull in pulls]
    except GitError as error:
        print(f"relate: warning: {error.detail}", file=sys.stderr)
        return [Made(pull, None, [], error.reason) for pull in pulls]


def _make_one(pull: PullRequest, clone: Clone, cfg: DictConfig) -> Made:
    try:
        instance, related = make_instance(pull, clone, cfg)
    except (Unusable, GitError) as error:
        return Made(pull, None, [], error.reason)
    return Made(pull, instance, related, "")
