"""What the archive holds of the hours asked for: one row an hour, and one a month."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from openswerl.files import write_text

DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=-)")
# Hours before 2015 are named in Pacific time, and these two were skipped by the clock: they never were.
NEVER_WERE = frozenset({"2012-03-11-2", "2013-03-10-2"})
FEW_EVENTS = 1


class Hour(msgspec.Struct, frozen=True):
    """One hour: `state` as in `download.HourFile`; `events` of all types, `kept` ones, and bytes, decompressed."""

    hour: str
    state: str
    bytes: int = 0
    events: int = 0
    kept: int = 0
    quarantined_bytes: int = 0

    @property
    def note(self) -> str:
        """What a reader should know: clock_change, no_events, one_event (the archive or GitHub was down), or empty."""
        if self.state == "missing":
            return "clock_change" if self.hour in NEVER_WERE else ""
        if self.state != "read" or self.events > FEW_EVENTS:
            return ""
        return "one_event" if self.events else "no_events"


class Month(msgspec.Struct, frozen=True):
    """How many hours of a month were asked for, and what became of them; `share` is read and of use, by expected.

    `missing` counts the hours that the archive lacks, `never_were` those that the clock skipped, which are not
    expected; `missing_days` have no hour of use at all.
    """

    month: str
    expected: int
    read: int
    missing: int
    never_were: int
    failed: int
    changed: int
    no_events: int
    one_event: int
    missing_days: int
    share: float


def write_coverage(path: Path, rows: Iterable[Hour]) -> None:
    """Write the hours as CSV, with a column `note`."""
    table = [[*msgspec.structs.astuple(row), row.note] for row in rows]
    _write(path, [*Hour.__struct_fields__, "note"], table)


def write_months(path: Path, rows: Iterable[Month]) -> None:
    """Write the months as CSV."""
    _write(path, Month.__struct_fields__, [msgspec.structs.astuple(row) for row in rows])


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    write_text(path, text.getvalue())


def by_month(rows: Iterable[Hour]) -> list[Month]:
    """Return the months in order; hours of a file that is not named by a date are put under `other`."""
    ordered = sorted(rows, key=lambda row: (_day(row)[:7], row.hour))
    return [_month(month, list(group)) for month, group in groupby(ordered, lambda row: _day(row)[:7])]


def _day(row: Hour) -> str:
    found = DAY.match(row.hour)
    return found[0] if found else "other"


def _month(month: str, rows: list[Hour]) -> Month:
    def count(state: str = "", note: str = "") -> int:
        return sum(row.state == state if state else row.note == note for row in rows)

    never_were = count(note="clock_change")
    expected, useful = len(rows) - never_were, [row for row in rows if row.state == "read" and not row.note]
    return Month(
        month=month,
        expected=expected,
        read=count("read"),
        missing=count("missing") - never_were,
        never_were=never_were,
        failed=count("failed"),
        changed=count("changed"),
        no_events=count(note="no_events"),
        one_event=count(note="one_event"),
        missing_days=len({_day(row) for row in rows} - {_day(row) for row in useful}),
        share=round(len(useful) / expected, 6) if expected else 0.0,
    )
