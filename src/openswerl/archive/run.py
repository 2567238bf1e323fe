"""The archive stage: hour files in, a Parquet file of events for each hour out."""

import functools
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from openswerl.archive import coverage
from openswerl.archive.account import total
from openswerl.archive.download import HourFile, fetch_hours, hours_between
from openswerl.archive.hour import ENVIRONMENT, Hour, keep_small, make_hour, parquet_file, quarantine_file, stem
from openswerl.archive.sources import hour_files
from openswerl.errors import UserError
from openswerl.files import replacing
from openswerl.progress import Progress
from openswerl.stage import Job
from openswerl.workers import end_with_parent, workers


def run(job: Job) -> dict[str, Any]:
    """Write hours/*.parquet, quarantine.jsonl and coverage.csv.

    Raises UserError if there is no hour file, or if a download failed; what was downloaded and read is kept.
    """
    asked = files_of(job)
    files, folder = [hour.path for hour in asked if hour.path], job.out / "hours"
    folder.mkdir(parents=True, exist_ok=True)
    _remove_strangers(files, folder)
    try:
        hours = dict(zip(files, read_hours(files, folder), strict=True))
        _join([quarantine_file(path, folder) for path in files], job.out / "quarantine.jsonl")
    except OSError as error:
        raise UserError(f"{folder}: {error}; what was read is kept, run again") from None
    rows = [_coverage(hour, hours.get(hour.path) if hour.path else None) for hour in asked]
    coverage.write_coverage(job.out / "coverage.csv", rows)
    if failed := [hour.name for hour in asked if hour.state == "failed"]:
        told = f"{len(failed)} of {len(asked)} hours could not be downloaded, {failed[0]} first"
        raise UserError(f"{told}: see {job.out / 'coverage.csv'} and run again; what came is kept")
    _tell_if_useless(rows, job.out)
    return _summary(rows, list(hours.values()))


def files_of(job: Job) -> list[HourFile]:
    """Return the hours of this cell in order, those of a download fetched first. Raises UserError if there is none."""
    data = job.cfg.data
    if data.source != "gharchive":
        return [HourFile(stem(path), "read", path) for path in hour_files(data, job.inputs)]
    hours = [hour for hour in hours_between(data.start, data.end) if hour.startswith(job.cfg.span)]
    if not hours:
        raise UserError(f"span={job.cfg.span} has no hour from {data.start} to {data.end}; give a month: span=2015-01")
    return fetch_hours(hours, Path(data.path), job.cfg.network)


def read_hours(files: list[Path], folder: Path) -> Iterator[Hour]:
    """Yield the hours in order; one process reads one hour. Raises UserError if a process is killed."""
    progress = Progress("archive: hours read", len(files))
    count = max(1, min(workers(), len(files)))
    os.environ.update(ENVIRONMENT | os.environ)  # the processes inherit it
    with ProcessPoolExecutor(count, get_context("spawn"), _start_worker) as pool:
        try:
            for hour in pool.map(functools.partial(make_hour, folder=folder), files):
                progress.step(note=hour.file)
                yield hour
        except BrokenProcessPool:
            raise UserError(
                "a process that read an hour was killed, perhaps for its memory; what was read is kept: run again, "
                "with OPENSWERL_WORKERS=1 if memory is short"
            ) from None


def _start_worker() -> None:
    end_with_parent()
    keep_small()


def _remove_strangers(files: list[Path], folder: Path) -> None:
    """Delete what another config or a killed run left: whoever reads the folder takes all of it."""
    known = {place(path, folder) for path in files for place in (parquet_file, quarantine_file)}
    for path in set(folder.iterdir()) - known:
        path.unlink()


def _join(parts: list[Path], path: Path) -> None:
    with replacing(path) as temporary, temporary.open("wb") as whole:
        for part in parts:
            whole.write(part.read_bytes())


def _coverage(asked: HourFile, hour: Hour | None) -> coverage.Hour:
    if hour is None:
        return coverage.Hour(asked.name, asked.state)
    account = hour.account
    state = "failed" if account.quarantine and not account.input_bytes else asked.state
    events = account.kept + account.other_events
    return coverage.Hour(asked.name, state, account.input_bytes, events, account.kept, account.quarantined_bytes)


def _tell_if_useless(rows: list[coverage.Hour], out: Path) -> None:
    states = Counter(row.state for row in rows)
    if states["failed"] and not states["read"]:
        told = f"none of {states['failed']} hour files can be used, so there are no events"
        print(f"archive: warning: {told}; {out / 'quarantine.jsonl'} says why", file=sys.stderr)


def _summary(rows: list[coverage.Hour], hours: list[Hour]) -> dict[str, Any]:
    account = total(hour.account for hour in hours)
    return {
        "hours": dict(sorted(Counter(row.state for row in rows).items())),
        "bytes": account.input_bytes,
        "events": dict(sorted(account.events.items())),
        "other_events": account.other_events,
        "kept": account.kept,
        "quarantine": dict(sorted(account.quarantine.items())),
        "quarantined_bytes": account.quarantined_bytes,
        "unread_bytes": account.unread_bytes,
        "redacted": {"emails": sum(hour.emails for hour in hours), "secrets": sum(hour.secrets for hour in hours)},
    }
