"""The crawl stage: hour files and clones in, merged pull requests and the blobs that they touch out."""

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from openswerl.crawl.archive import Archive, scan
from openswerl.crawl.clone import Content
from openswerl.crawl.events import Bad
from openswerl.crawl.git import require_git
from openswerl.crawl.join import Joined
from openswerl.crawl.repositories import MAX_WORKERS, join_all, quarantined
from openswerl.crawl.sources import clones_folder, hour_files
from openswerl.files import write_jsonl
from openswerl.records import Blob, PullRequest, write_parquet
from openswerl.stage import Job

POOL_BYTES = 16 << 20


def run(job: Job) -> dict[str, Any]:
    """Write pull_requests.parquet, blobs.parquet, repositories.jsonl and quarantine.jsonl."""
    require_git()
    files, clones = hour_files(job.cfg.data, job.inputs), clones_folder(job.cfg.data, job.inputs)
    archive = read_archive(files)
    outcomes = list(join_all(archive, clones))
    joined = [outcome for outcome in outcomes if isinstance(outcome, Joined)]
    bad = quarantine(archive, outcomes)
    contents = {blob: content for item in joined for blob, content in item.contents.items()}
    _write(job.out, joined, contents, archive, bad)
    issues = [issue for item in joined for issue in item.pull_request.issues]
    return {
        "hour_files": len(files),
        "events": dict(sorted(archive.events.items())),
        "merged": len(archive.merged),
        "pull_requests": len(joined),
        "linked_issues": {"all": len(issues), "with_text": sum(bool(issue.title or issue.body) for issue in issues)},
        "quarantine": dict(sorted(Counter(item.reason for item in bad).items())),
        "blobs": len(contents),
        "blobs_without_text": dict(sorted(Counter(c.reason for c in contents.values() if c.text is None).items())),
    }


def read_archive(files: list[Path]) -> Archive:
    """Read hour files, in a few processes if there is much to read."""
    archive = Archive()
    if sum(file.stat().st_size for file in files) < POOL_BYTES:
        for file in files:
            archive.update(scan(file))
        return archive
    with ProcessPoolExecutor(min(MAX_WORKERS, os.cpu_count() or 1)) as pool:
        for part in pool.map(scan, files):
            archive.update(part)
    return archive


def quarantine(archive: Archive, outcomes: list[Joined | Bad]) -> list[Bad]:
    """Return unreadable stretches, then pull requests that were dropped or, with a reason, kept (count_mismatch)."""
    unknown = [quarantined(event, "needs_enrichment") for event in archive.need_enrichment()]
    rows = [outcome for outcome in outcomes if isinstance(outcome, Bad)]
    joined = [outcome for outcome in outcomes if isinstance(outcome, Joined)]
    doubted = [
        quarantined(item.event, "count_mismatch", "; ".join(item.mismatches)) for item in joined if item.mismatches
    ]
    return archive.bad + unknown + rows + doubted


def _write(out: Path, joined: list[Joined], contents: dict[str, Content], archive: Archive, bad: list[Bad]) -> None:
    blobs = [Blob(sha, content.text) for sha, content in sorted(contents.items())]
    write_parquet(out / "pull_requests.parquet", [item.pull_request for item in joined], PullRequest)
    write_parquet(out / "blobs.parquet", blobs, Blob)
    write_jsonl(out / "repositories.jsonl", archive.repositories())
    write_jsonl(out / "quarantine.jsonl", [msgspec.to_builtins(item) for item in bad])
