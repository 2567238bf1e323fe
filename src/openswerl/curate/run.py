"""The curate stage: merged pull requests in, RL seeds and the funnel out."""

from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from openswerl.curate import dedupe, filters, seeds
from openswerl.curate.decontaminate import benchmark
from openswerl.curate.funnel import Funnel
from openswerl.files import read_jsonl
from openswerl.records import Blob, PullRequest, read_parquet, write_parquet
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write pull_requests.parquet (the RL seeds), funnel.csv and dropped.jsonl."""
    crawl = job.inputs["crawl"]
    text_blobs = {blob.sha for blob in read_parquet(crawl / "blobs.parquet", Blob) if blob.content is not None}
    forks = {row["repo"].lower() for row in read_jsonl(crawl / "repositories.jsonl") if row["fork"]}
    benchmarks = benchmark_repositories(job.cfg.curate, job.inputs.get("laptop"))
    pulls = read_parquet(crawl / "pull_requests.parquet", PullRequest)
    funnel = curate(pulls, job.cfg.curate, benchmarks, forks, text_blobs)
    write_parquet(job.out / "pull_requests.parquet", funnel.pulls, PullRequest)
    funnel.write(job.out)
    return {"pull_requests": len(pulls), "seeds": len(funnel.pulls)}


def curate(
    pulls: list[PullRequest], cfg: DictConfig, benchmarks: set[str], forks: set[str], text_blobs: set[str]
) -> Funnel:
    """Take pull requests through every step, in the order of the funnel."""
    funnel = Funnel(pulls)
    funnel.apply("decontaminate", [benchmark(pull, benchmarks, forks) for pull in funnel.pulls])
    funnel.apply("bots", [filters.bot(pull, cfg) for pull in funnel.pulls])
    funnel.apply("size", [filters.size(pull, cfg) for pull in funnel.pulls])
    funnel.apply("generated", [filters.generated(pull, cfg) for pull in funnel.pulls])
    funnel.apply("reverts", dedupe.reverts(funnel.pulls))
    funnel.apply("same_patch", dedupe.same_patch(funnel.pulls))
    funnel.apply("same_issue", dedupe.same_issue(funnel.pulls))
    funnel.apply("seed_issue", [seeds.issue(pull, cfg) for pull in funnel.pulls])
    funnel.apply("seed_files", [seeds.files(pull, cfg) for pull in funnel.pulls])
    funnel.apply("seed_edits", [seeds.expressible(pull, text_blobs) for pull in funnel.pulls])
    return funnel


def benchmark_repositories(cfg: DictConfig, laptop: Path | None) -> set[str]:
    """Return the repositories of SWE-bench and, in a laptop world, of its mini benchmark; lower-case owner/name."""
    names = list(cfg.benchmark_repositories)
    if laptop:
        names += (laptop / "benchmark" / "repositories.txt").read_text(encoding="utf-8").split()
    return {name.lower() for name in names}
