"""Join the pull requests of many repositories, a few clones at a time."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from openswerl.crawl.archive import Archive, Key, sorted_items
from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.events import SAMPLE, Bad, Event
from openswerl.crawl.git import GitError
from openswerl.crawl.join import Joined, Unusable, join

MAX_WORKERS = 8
Outcome = Joined | Bad


def join_all(archive: Archive, folder: Path) -> Iterator[Outcome]:
    """Yield what became of every merged pull request, by repository and number; each clone is opened once."""
    clones = Clones(folder)
    groups = [list(group) for _, group in groupby(sorted_items(archive.merged), lambda item: item[1].repo.lower())]
    with ThreadPoolExecutor(min(MAX_WORKERS, os.cpu_count() or 1)) as pool:
        for outcomes in pool.map(lambda group: _join_group(archive, group, clones), groups):
            yield from outcomes


def _join_group(archive: Archive, group: list[tuple[Key, Event]], clones: Clones) -> list[Outcome]:
    try:
        with clones.open(group[0][1].repo) as clone:
            return [_join_one(archive, key, event, clone) for key, event in group]
    except GitError as error:
        print(f"crawl: warning: {error.detail}", file=sys.stderr)
        return [quarantined(event, error.reason) for _, event in group]


def _join_one(archive: Archive, key: Key, event: Event, clone: Clone) -> Outcome:
    try:
        return join(event, archive.linked_issues(key), clone)
    except Unusable as error:
        return quarantined(event, error.reason)


def quarantined(event: Event, reason: str, detail: str = "") -> Bad:
    """Return the quarantine row of a pull request."""
    name = f"{event.repo}#{event.pull.number if event.pull else '?'}"
    return Bad(event.file, event.offset, reason, f"{name} {detail}".strip()[:SAMPLE])
