"""What the crawl did, as numbers for result.json and as a few lines to read."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from openswerl.archive import coverage
from openswerl.parquet import open_parquet

ADDED = ("bytes", "other_events", "kept", "quarantined_bytes", "unread_bytes")


def archive_summary(archives: list[Path]) -> dict[str, Any]:
    """Add up what the archive stage counted in its cells."""
    results = [json.loads((folder / "result.json").read_text(encoding="utf-8")) for folder in archives]
    added = {name: sum(result[name] for result in results) for name in ADDED}
    return added | {name: _added(result[name] for result in results) for name in ("hours", "quarantine", "redacted")}


def _added(counts: Iterator[Mapping[str, int]]) -> dict[str, int]:
    whole: Counter[str] = Counter()
    for count in counts:
        whole.update(count)
    return dict(sorted(whole.items()))


def write_coverage(archives: list[Path], path: Path) -> None:
    """Write the coverage of every month of the archive."""
    rows = []
    for folder in archives:
        with (folder / "coverage.csv").open(encoding="utf-8", newline="") as file:
            rows += [msgspec.convert(row, coverage.Hour, strict=False) for row in csv.DictReader(file)]
    coverage.write_months(path, coverage.by_month(rows))


def blob_summary(path: Path) -> dict[str, Any]:
    """Count the blobs, those without text by reason, and what was redacted."""
    reasons: Counter[str] = Counter()
    redactions = 0
    with open_parquet(path) as file:
        for batch in file.iter_batches(columns=["reason", "redactions"]):
            reasons.update(reason for reason in batch["reason"].to_pylist() if reason)
            redactions += sum(batch["redactions"].to_pylist())
        rows = file.metadata.num_rows
    return {"blobs": rows, "blobs_without_text": dict(sorted(reasons.items())), "redacted_in_blobs": redactions}


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the summary for people."""
    archive, events, issues = result["archive"], result["events"], result["linked_issues"]
    yield f"hours: {_listed(archive['hours'])}; {archive['bytes']} bytes"
    yield f"events: {_listed(events)}; others {archive['other_events']}"
    lost = (
        f"quarantined: {archive['quarantined_bytes']} bytes, and {archive['unread_bytes']} bytes of files gave nothing"
    )
    yield f"{lost}: {_listed(archive['quarantine'])}"
    if result["enriched"]:
        yield f"asked of GitHub: {_listed(result['enriched'])}"
    others = result["repository_not_chosen"]
    yield f"merged pull requests: {result['merged']}" + (f", {others} of repositories not chosen" if others else "")
    yield f"joined with git: {result['pull_requests']}; dropped or flagged: {_listed(result['quarantine'])}"
    yield f"linked issues: {_listed(issues)}"
    yield f"blobs: {result['blobs']}; without text: {_listed(result['blobs_without_text'])}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
