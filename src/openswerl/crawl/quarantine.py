"""The rows of what was dropped, and of what was kept with a doubt (count_mismatch); warnings about clones."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from openswerl.crawl.aggregate import Undecided
from openswerl.crawl.parts import Part, notes_of, quarantined
from openswerl.files import write_jsonl
from openswerl.parquet import iter_parquet

MAX_WARNINGS = 10


def write_quarantine(path: Path, undecided: Path, parts: Sequence[Part]) -> dict[str, int]:
    """Write the rows, first those without an answer, then by repository; return their number by reason."""
    reasons: Counter[str] = Counter()

    def rows() -> Iterator[dict[str, Any]]:
        for row in _rows(undecided, parts):
            reasons[row["reason"]] += 1
            yield row

    write_jsonl(path, rows())
    return dict(sorted(reasons.items()))


def _rows(undecided: Path, parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    for pull in iter_parquet(undecided, Undecided):
        yield quarantined(pull, "needs_enrichment")
    for part in parts:
        yield from notes_of(part)["quarantine"]


def warn(parts: Sequence[Part]) -> None:
    """Print the first warnings about clones, and how many more there are; a repository may be in two parts."""
    count, last = 0, ""
    for warning in (warning for part in parts for warning in notes_of(part)["warnings"]):
        if warning != last and count < MAX_WARNINGS:
            print(f"crawl: warning: {warning}", file=sys.stderr)
        count, last = count + (warning != last), warning
    if count > MAX_WARNINGS:
        print(f"crawl: warning: and {count - MAX_WARNINGS} more clones; see quarantine.jsonl", file=sys.stderr)
