"""Times of the archive in one form."""

import functools
import re
from datetime import UTC, datetime

import msgspec

MODERN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
OLD = re.compile(r"\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)? ?(?:Z|UTC|[+-]\d\d:?\d\d)", re.ASCII)


@functools.lru_cache(maxsize=1 << 14)
def utc(time: str | None) -> str | None:
    """Return a time as 2015-01-01T00:00:00Z; before 2015 it is local, as 2012/04/11 15:55:43 -0700 or with a T.

    Raises msgspec.ValidationError if it is no time with a zone.
    """
    if time is None:
        return None
    try:
        if MODERN.fullmatch(time):
            datetime.fromisoformat(time)
            return time
        if not OLD.fullmatch(time):
            raise ValueError
        iso = time.replace("/", "-").replace("UTC", "Z").replace(" ", "T", 1).replace(" ", "")
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise msgspec.ValidationError(f"{time[:40]!r} is no time") from None
