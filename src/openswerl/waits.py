"""How long to wait for a server: its own advice, or a doubling back-off."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]+)?")


def advice(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the server asks to wait: Retry-After, or GitHub's reset time once nothing remains.

    Some servers give Retry-After with a fraction, or in milliseconds as retry-after-ms. Times are compared
    with the server's own clock where it tells.
    """
    now = _timestamp(headers.get("date", "")) or time.time()
    after = headers.get("retry-after", "").strip()
    if NUMBER.fullmatch(milliseconds := headers.get("retry-after-ms", "").strip()):
        return float(milliseconds) / 1000
    if NUMBER.fullmatch(after):
        return float(after)
    if until := _timestamp(after):
        return max(0.0, until - now)
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - now)
    return None


def _timestamp(text: str) -> float | None:
    """Return the seconds since 1970 of an HTTP date, None if it is none."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def seconds_until(moment: str, headers: Mapping[str, str]) -> float:
    """Return the seconds from the server's time to an ISO 8601 moment; 0 if it is past, or no moment."""
    try:
        then = datetime.fromisoformat(moment).timestamp()
    except ValueError:
        return 0.0
    return max(0.0, then - (_timestamp(headers.get("date", "")) or time.time()))


def delay(attempt: int, advised: float | None, longest: float, draw: float) -> float:
    """Return the seconds to wait after a failed attempt, counted from 1; `draw` in [0, 1) spreads clients.

    Without advice the wait doubles from about a second; with advice it is never shorter, save for `longest`.
    """
    if advised is not None:
        return min(longest, advised + draw * min(1.0, advised))
    return min(longest, 2.0 ** min(attempt - 1, 99)) * (1 + draw) / 2
