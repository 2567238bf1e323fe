import time
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.waits import advice, delay, seconds_until

DATE = "Thu, 01 Jan 2015 00:00:00 GMT"
RESET = str(int(datetime(2015, 1, 1, 0, 10, tzinfo=UTC).timestamp()))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "17"}, 17),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "Thu, 01 Jan 2015 00:01:30 GMT", "date": DATE}, 90),
        ({"retry-after": "Wed, 31 Dec 2014 00:00:00 GMT", "date": DATE}, 0),
        ({"retry-after": "soon"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET, "date": DATE}, 600),
        ({"x-ratelimit-remaining": "1", "x-ratelimit-reset": RESET, "date": DATE}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET, "date": DATE, "retry-after": "5"}, 5),
        ({"x-ratelimit-remaining": "0"}, None),
    ],
)
def test_what_the_server_advises(headers, expected):
    assert advice(headers) == expected


def test_a_date_without_the_servers_clock():
    date = format_datetime(datetime.fromtimestamp(time.time() + 100, UTC), usegmt=True)
    assert 95 < (advice({"retry-after": date}) or 0) <= 100


def test_a_moment_of_the_api():
    assert seconds_until("2015-01-01T00:02:00Z", {"date": DATE}) == 120
    assert seconds_until("2014-01-01T00:02:00Z", {"date": DATE}) == 0
    assert seconds_until("never", {"date": DATE}) == 0


@given(st.text() | st.from_regex(r"\d{1,3}", fullmatch=True), st.text(), st.text())
def test_odd_headers_never_fail(after, reset, date):
    found = advice({"retry-after": after, "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, "date": date})
    assert found is None or found >= 0


def test_waits_double_up_to_the_limit():
    assert [delay(attempt, None, 10, 1) for attempt in (1, 2, 3, 4, 5, 600)] == [1, 2, 4, 8, 10, 10]
    assert [delay(attempt, None, 10, 0) for attempt in (1, 2, 3)] == [0.5, 1, 2]


@given(st.integers(1, 2000), st.floats(0, 1e6) | st.none(), st.floats(0, 1e4), st.floats(0, 1, exclude_max=True))
def test_a_wait_obeys_advice_and_limit(attempt, advised, longest, draw):
    found = delay(attempt, advised, longest, draw)
    assert 0 <= found <= longest
    assert advised is None or found >= min(advised, longest)
