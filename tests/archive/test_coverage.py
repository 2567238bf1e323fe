import csv

import pytest

from openswerl.archive.coverage import NEVER_WERE, Hour, by_month, write_coverage, write_months
from openswerl.archive.download import hours_between


def read_all(start: str, end: str, **others: Hour) -> list[Hour]:
    hours = hours_between(start, end)
    changed = {hour.hour: hour for hour in others.values()}
    return [changed.get(name, Hour(name, "read", 1000, 50, 5)) for name in hours]


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_whole_month():
    (month,) = by_month(read_all("2015-01-01-0", "2015-01-31-23"))
    assert (month.month, month.expected, month.read, month.share, month.missing_days) == ("2015-01", 744, 744, 1.0, 0)


def test_pitfall_04_missing_hours_and_days():
    """Of gharchive#141: the ten hours of 2012-03-10 from 9 to 18, and the four of 2012-03-05; a day as in #249."""
    gone = [f"2012-03-10-{hour}" for hour in range(9, 19)] + [f"2012-03-05-{hour}" for hour in range(4, 8)]
    gone += hours_between("2012-03-20-0", "2012-03-20-23")
    (month,) = by_month(read_all("2012-03-01-0", "2012-03-31-23", **{name: Hour(name, "missing") for name in gone}))
    assert (month.missing, month.missing_days) == (38, 1)
    assert month.share == pytest.approx((744 - 38) / 744, abs=1e-6)


@pytest.mark.parametrize("name", ["2012-03-11-2", "2013-03-10-2"])
def test_pitfall_04_an_hour_that_the_clock_skipped_is_not_missing(name):
    """Gharchive#33: hours of 2012 and 2013 are named in Pacific time, and at 2:00 the clock went to 3:00."""
    (month,) = by_month(read_all(f"{name[:7]}-01-0", f"{name[:7]}-31-23", skipped=Hour(name, "missing")))
    assert (month.expected, month.missing, month.never_were, month.share) == (743, 0, 1, 1.0)
    assert Hour(name, "missing").note == "clock_change"


def test_pitfall_04_the_clock_changes_are_the_second_sundays_of_march():
    import zoneinfo
    from datetime import datetime, timedelta

    pacific = zoneinfo.ZoneInfo("America/Los_Angeles")
    hours = [datetime(2012, 1, 1) + timedelta(hours=step) for step in range(24 * 731)]
    skipped = {
        f"{hour:%Y-%m-%d}-{hour.hour}"
        for hour in hours
        if hour.replace(tzinfo=pacific).astimezone(zoneinfo.ZoneInfo("UTC")).astimezone(pacific).hour != hour.hour
    }
    assert skipped == NEVER_WERE


def test_pitfall_04_hours_with_a_single_event():
    """Gharchive#175 lists seven of them, two in one month's first week here."""
    few = {name: Hour(name, "read", 700, 1, 1) for name in ("2015-01-06-4", "2015-01-05-20")}
    few["2015-01-07-13"] = Hour("2015-01-07-13", "read", 0, 0, 0, 20)
    (month,) = by_month(read_all("2015-01-01-0", "2015-01-07-23", **few))
    assert (month.read, month.one_event, month.no_events) == (168, 2, 1)
    assert month.share == pytest.approx(165 / 168, abs=1e-6)


def test_what_failed_is_not_covered():
    hours = read_all(
        "2015-01-01-0", "2015-01-01-3", a=Hour("2015-01-01-1", "failed"), b=Hour("2015-01-01-2", "changed")
    )
    (month,) = by_month(hours)
    assert (month.read, month.failed, month.changed, month.missing, month.share) == (2, 1, 1, 0, 0.5)


def test_every_hour_is_counted_once():
    hours = read_all(
        "2015-01-01-0", "2015-01-02-23", a=Hour("2015-01-01-1", "failed"), b=Hour("2015-01-02-2", "missing")
    )
    (month,) = by_month(hours)
    assert month.read + month.missing + month.never_were + month.failed + month.changed == len(hours)


def test_the_order_of_the_hours_does_not_matter():
    hours = read_all("2014-12-31-0", "2015-02-01-23")
    assert by_month(reversed(hours)) == by_month(hours)
    assert [month.month for month in by_month(hours)] == ["2014-12", "2015-01", "2015-02"]


def test_files_of_other_names():
    months = by_month([Hour("2012-04-11-15.concat-nonewline", "read", 10, 5), Hour("mine", "read", 10, 5)])
    assert [(month.month, month.read) for month in months] == [("2012-04", 1), ("other", 1)]


def test_the_table_of_hours(tmp_path):
    write_coverage(tmp_path / "c.csv", [Hour("2015-01-01-0", "read", 900, 1, 1, 7), Hour("2012-03-11-2", "missing")])
    assert rows(tmp_path / "c.csv") == [
        {
            "hour": "2015-01-01-0",
            "state": "read",
            "bytes": "900",
            "events": "1",
            "kept": "1",
            "quarantined_bytes": "7",
            "note": "one_event",
        },
        {
            "hour": "2012-03-11-2",
            "state": "missing",
            "bytes": "0",
            "events": "0",
            "kept": "0",
            "quarantined_bytes": "0",
            "note": "clock_change",
        },
    ]


def test_the_table_of_months(tmp_path):
    write_months(tmp_path / "m.csv", by_month(read_all("2015-01-01-0", "2015-01-01-23")))
    (row,) = rows(tmp_path / "m.csv")
    assert (row["month"], row["expected"], row["share"]) == ("2015-01", "24", "1.0")
