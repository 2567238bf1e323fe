"""The crawl stage: events and clones in, merged pull requests and the blobs that they touch out."""

import hashlib
import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from openswerl.archive.sources import clones_folder
from openswerl.crawl.aggregate import Aggregated, Undecided, aggregate, undecided
from openswerl.crawl.enrich import Enriched, enrich
from openswerl.crawl.git import require_git
from openswerl.crawl.merging import merge_blobs, merge_pull_requests
from openswerl.crawl.mirror import make_mirrors
from openswerl.crawl.parts import Work, join_all
from openswerl.crawl.quarantine import warn, write_quarantine
from openswerl.crawl.repositories import repositories
from openswerl.crawl.summary import archive_summary, blob_summary, lines, write_coverage
from openswerl.files import write_json, write_jsonl
from openswerl.parquet import iter_parquet
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write pull_requests.parquet, blobs.parquet, repositories.jsonl, quarantine.jsonl and coverage.csv.

    Raises UserError without git or a folder of clones.
    """
    require_git()
    downloads = job.cfg.data.source == "gharchive" and job.cfg.crawl.clone
    clones = Path(job.cfg.data.clones) if downloads else clones_folder(job.cfg.data, job.inputs)
    archives = [folder for name, folder in sorted(job.inputs.items()) if name.startswith("archive")]
    hours = [path for folder in archives for path in sorted((folder / "hours").glob("*.parquet"))]
    enriched = ask_github(job, hours)
    found, folder = aggregate_once(job, hours, enriched)
    failures = make_mirrors(_names(found.pulls), clones, job.cfg.network) if downloads else {}
    reasons = {repo.lower(): reason for repo, reason in failures.items()}
    parts = join_all(Work(found.pulls, folder / "parts", clones, job.cfg.crawl, reasons))
    warn(parts)
    joined = merge_pull_requests(parts, job.out / "pull_requests.parquet")
    merge_blobs(parts, job.out / "blobs.parquet", job.scratch / "blobs", job.cfg.memory_mb)
    write_jsonl(job.out / "repositories.jsonl", repositories(found.pulls))
    write_coverage(archives, job.out / "coverage.csv")
    result = {
        "archive": archive_summary(archives),
        "enriched": enriched.counts if enriched else {},
        **found.counts,
        "pull_requests": joined,
        "quarantine": write_quarantine(job.out / "quarantine.jsonl", found.undecided, parts),
        **blob_summary(job.out / "blobs.parquet"),
    }
    print("\n".join(f"crawl: {line}" for line in lines(result)))
    return result


def ask_github(job: Job, hours: Sequence[Path]) -> Enriched | None:
    """Ask what thin events do not say; None if there is nothing to ask or crawl.enrich is off."""
    if not job.cfg.crawl.enrich:
        return None
    path = job.scratch / "candidates" / "undecided.parquet"
    if not path.exists():
        undecided(hours, path.parent, job.cfg.memory_mb, job.cfg.data.repositories)
    wanted = iter_parquet(path, Undecided)
    first = next(wanted, None)
    return enrich(chain([first], wanted), job.out / "github", job.cfg.network) if first else None


def aggregate_once(job: Job, hours: Sequence[Path], enriched: Enriched | None) -> tuple[Aggregated, Path]:
    """Return the aggregation and its folder; that of a killed run is used again if GitHub's answers are the same."""
    answers = [enriched.path] if enriched else []
    folder = job.scratch / "-".join(["pulls", *(_digest(path) for path in answers)])
    done = folder / "counts.json"
    if not done.exists():
        found = aggregate([*hours, *answers], folder, job.cfg.memory_mb, job.cfg.data.repositories)
        write_json(done, found.counts)
    counts = json.loads(done.read_text(encoding="utf-8"))
    return Aggregated(folder / "pulls.parquet", folder / "undecided.parquet", counts), folder


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _names(pulls: Path) -> list[str]:
    return list({row["repo"].lower(): row["repo"] for row in repositories(pulls)}.values())
