"""Join merged pull requests with their clones, part by part. A finished part survives a kill and is not made again."""

import functools
import json
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from omegaconf import DictConfig

from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import GitError
from openswerl.crawl.join import Joined, Unusable, join
from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.parquet import ParquetSink, open_parquet
from openswerl.progress import Progress
from openswerl.records import Blob, MergedPull, PullRequest
from openswerl.workers import end_with_parent, workers

SAMPLE = 200
MISMATCH = "count_mismatch"


class Work(NamedTuple):
    """What a part needs: the file of all merged pull requests, the folder of parts, the clones, and conf/crawl.

    `failures` says why repositories could not be cloned.
    """

    pulls: Path
    folder: Path
    clones: Path
    limits: DictConfig
    failures: dict[str, str]


class Part(NamedTuple):
    """The files of a part; `notes`, which is written last, holds the rows of the quarantine and warnings."""

    pull_requests: Path
    blobs: Path
    notes: Path


def join_all(work: Work) -> list[Part]:
    """Make the missing parts, one for each row group of the pull requests, and return all of them in order.

    Raises UserError if a process is killed.
    """
    work.folder.mkdir(parents=True, exist_ok=True)
    with open_parquet(work.pulls) as file:
        parts = [part_of(work, number) for number in range(file.num_row_groups)]
    missing = [number for number, part in enumerate(parts) if not part.notes.exists()]
    progress = Progress("crawl: stretches of pull requests joined", len(parts))
    progress.step(len(parts) - len(missing))
    for _ in _make(work, missing):
        progress.step()
    return parts


def part_of(work: Work, number: int) -> Part:
    """Return the names of a part's files."""
    return Part(*(work.folder / f"{number:07}.{end}" for end in ("pulls.parquet", "blobs.parquet", "json")))


def _make(work: Work, numbers: list[int]) -> Iterator[None]:
    make, count = functools.partial(make_part, work), min(workers(), len(numbers))
    with ExitStack() as stack:
        context = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(count, context, end_with_parent)) if count > 1 else None
        try:
            yield from pool.map(make, numbers) if pool else map(make, numbers)
        except BrokenProcessPool:
            raise UserError(
                "a process that joined pull requests was killed, perhaps for its memory; finished parts are kept: run "
                "again, with OPENSWERL_WORKERS=1 if memory is short"
            ) from None


def make_part(work: Work, number: int) -> None:
    """Join the pull requests of one row group, which are sorted by repository."""
    part = part_of(work, number)
    with open_parquet(work.pulls) as file:
        pulls = msgspec.convert(file.read_row_group(number).to_pylist(), list[MergedPull])
    notes: dict[str, list[Any]] = {"quarantine": [], "warnings": []}
    with ParquetSink(part.pull_requests, PullRequest) as records, ParquetSink(part.blobs, Blob) as blobs:
        written: set[str] = set()
        for _, group in groupby(pulls, lambda pull: pull.repo.lower()):
            for found in _join_group(work, list(group), notes):
                records.write(found.pull_request)
                for blob in found.blobs:
                    if blob.sha not in written:
                        written.add(blob.sha)
                        blobs.write(blob)
    write_json(part.notes, notes)


def _join_group(work: Work, pulls: list[MergedPull], notes: dict[str, list[Any]]) -> Iterator[Joined]:
    """Yield what joins of one repository's pull requests; its clone is opened once."""
    try:
        with _clones(work.clones).open(pulls[0].repo) as clone:
            for pull in pulls:
                yield from _join_one(work, pull, clone, notes)
    except GitError as error:
        reason = work.failures.get(pulls[0].repo.lower(), error.reason)
        notes["warnings"].append(error.detail)
        notes["quarantine"].extend(quarantined(pull, reason) for pull in pulls)


def _join_one(work: Work, pull: MergedPull, clone: Clone, notes: dict[str, list[Any]]) -> Iterator[Joined]:
    try:
        found = join(pull, clone, work.limits)
    except Unusable as error:
        notes["quarantine"].append(quarantined(pull, error.reason))
        return
    wrong = [flag.partition(":")[2] for flag in found.pull_request.flags if flag.startswith(MISMATCH)]
    if wrong:
        notes["quarantine"].append(quarantined(pull, MISMATCH, ", ".join(wrong)))
    yield found


@functools.cache
def _clones(folder: Path) -> Clones:
    return Clones(folder)


def quarantined(pull: Any, reason: str, detail: str = "") -> dict[str, Any]:
    """Return the quarantine row of a record with file, offset, repo and number."""
    sample = f"{pull.repo}#{pull.number} {detail}".strip()[:SAMPLE]
    return {"file": pull.file, "offset": pull.offset, "reason": reason, "sample": sample}


def notes_of(part: Part) -> dict[str, list[Any]]:
    """Return a part's quarantine rows and warnings."""
    found: dict[str, list[Any]] = json.loads(part.notes.read_text(encoding="utf-8"))
    return found
