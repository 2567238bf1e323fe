from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.archive.times import utc

MOMENTS = st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)).map(lambda when: when.replace(microsecond=0))


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("2015-01-01T15:00:01Z", "2015-01-01T15:00:01Z"),
        ("2012-06-14T15:01:42-07:00", "2012-06-14T22:01:42Z"),
        ("2012/04/11 15:55:43 -0700", "2012-04-11T22:55:43Z"),
        ("2011-12-31T23:30:00-08:00", "2012-01-01T07:30:00Z"),
        ("2015-01-01 00:00:00 UTC", "2015-01-01T00:00:00Z"),
        ("2019-05-01T10:00:00.000Z", "2019-05-01T10:00:00Z"),
        (None, None),
    ],
)
def test_known_forms(stored, shown):
    assert utc(stored) == shown


@given(MOMENTS, st.integers(-12 * 60, 14 * 60))
def test_local_times_become_utc(moment, minutes):
    local = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))
    expected = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    assert utc(local.strftime("%Y/%m/%d %H:%M:%S %z")) == expected
    assert utc(local.isoformat()) == expected


@pytest.mark.parametrize(
    "stored",
    ["", "yesterday", "2015-13-01T00:00:00Z", "2015-01-01T00:00:00", "2015-02-30T00:00:00Z", "٢٠١٥-01-01T00:00:00Z"],
)
def test_what_is_no_time_with_a_zone_is_refused(stored):
    with pytest.raises(msgspec.ValidationError):
        utc(stored)
