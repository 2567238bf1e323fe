import hashlib
import json
import random
from datetime import UTC, date, datetime, timedelta

import pytest

from archive.fetching import DATA, FIRST, HOURS, SECOND, THIRD, fetch, snapshot, states
from openswerl.archive.download import hour_name, hours_between
from openswerl.disks import lock
from openswerl.errors import UserError
from servers import drop, hang_up, running, status


@pytest.fixture
def server():
    with running() as server:
        server.files.update(DATA)
        yield server


def test_the_papers_range_has_all_its_hours():
    hours = hours_between("2015-01-01-0", "2024-08-31-23")
    assert len(hours) == len(set(hours)) == ((date(2024, 8, 31) - date(2015, 1, 1)).days + 1) * 24
    assert (hours[0], hours[9], hours[10], hours[-1]) == (
        "2015-01-01-0",
        "2015-01-01-9",
        "2015-01-01-10",
        "2024-08-31-23",
    )


def test_hours_over_a_leap_day():
    assert hours_between("2016-02-28-23", "2016-02-29-0") == ["2016-02-28-23", "2016-02-29-0"]
    assert len(hours_between("2016-02-01-0", "2016-02-29-23")) == 29 * 24


@pytest.mark.parametrize("text", ["2015-13-01-0", "2015-02-29-0", "2015-01-01-24", "2015-01-01", "now", ""])
def test_what_is_no_hour(text):
    with pytest.raises(UserError, match=f"data.end={text} is not an hour; write it as 2015-01-01-0"):
        hours_between("2015-01-01-0", text)


def test_hours_in_the_wrong_order():
    with pytest.raises(UserError, match=r"data.start=2015-01-02-0 is after"):
        hours_between("2015-01-02-0", "2015-01-01-0")


def test_a_download(server, tmp_path):
    found = fetch(server, tmp_path)
    assert [hour.name for hour in found] == HOURS
    for hour, data in zip(found, DATA.values(), strict=True):
        assert (hour.state, hour.path.read_bytes(), hour.bytes) == ("read", data, len(data))
        record = json.loads((tmp_path / f"{hour.name}.json").read_text())
        assert record["sha256"] == hour.sha256 == hashlib.sha256(data).hexdigest()
    assert server.paths() == [FIRST, SECOND, THIRD]
    assert not list(tmp_path.glob("*.part"))


def test_what_is_there_is_not_asked_for(server, tmp_path):
    first = fetch(server, tmp_path)
    before = snapshot(tmp_path)
    server.asked.clear()
    assert fetch(server, tmp_path) == first
    assert (server.asked, snapshot(tmp_path)) == ([], before)


def test_many_connections_give_the_same(server, tmp_path):
    one = fetch(server, tmp_path / "one")
    many = fetch(server, tmp_path / "many", connections=3)
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "many")
    assert [hour.sha256 for hour in one] == [hour.sha256 for hour in many]


def test_an_hour_that_fails_is_named_and_the_rest_goes_on(server, tmp_path, capsys):
    server.script[SECOND] = [status(500), hang_up, drop(1000)]
    found = fetch(server, tmp_path)
    assert states(found) == {HOURS[0]: "read", HOURS[1]: "failed", HOURS[2]: "read"}
    assert found[1].path is None
    told = capsys.readouterr().err
    assert "2015-01-01-1 failed: 2015-01-01-1: " in told
    assert "archive: hours: 1 failed, 2 read" in told
    assert states(fetch(server, tmp_path))[HOURS[1]] == "read", "the next run tries again"
    assert server.asked[-1].headers["range"] == "bytes=1000-"


def test_a_refusal_is_not_asked_for_again(server, tmp_path):
    server.script[FIRST] = [status(403, b"denied")]
    found = fetch(server, tmp_path)[0]
    assert (found.state, found.detail) == ("failed", "status 403")
    assert server.paths().count(FIRST) == 1


def test_a_server_that_is_away_ends_the_run_early(server, tmp_path):
    hours = hours_between("2015-02-01-0", "2015-02-28-23")
    server.serve = lambda handler, _: handler.reply(503)
    with pytest.raises(UserError, match="does not work: status 503; what came is kept, run again later"):
        fetch(server, tmp_path, hours, attempts=1)
    assert len(server.asked) < 20


def test_pitfall_04_missing_hours_and_days(server, tmp_path):
    day = hours_between("2015-01-02-0", "2015-01-02-23")
    found = fetch(server, tmp_path, [*HOURS, *day])
    assert [hour.state for hour in found] == ["read"] * 3 + ["missing"] * 24
    assert all(hour.path is None for hour in found[3:])
    server.asked.clear()
    assert fetch(server, tmp_path, [*HOURS, *day]) == found
    assert server.asked == [], "what is missing is remembered"


def test_pitfall_04_an_hour_that_is_not_there_yet_may_still_come(server, tmp_path):
    recent = hour_name(datetime.now(UTC) - timedelta(hours=1))
    assert states(fetch(server, tmp_path, [recent])) == {recent: "missing"}
    server.files[f"/{recent}.json.gz"] = b"it came"
    assert states(fetch(server, tmp_path, [recent])) == {recent: "read"}


def test_pitfall_07_a_file_that_was_rewritten_does_not_replace_the_pinned_one(server, tmp_path, capsys):
    pinned = fetch(server, tmp_path)[0]
    server.files[FIRST] = random.Random("rewritten").randbytes(300_000)
    assert fetch(server, tmp_path)[0] == pinned
    assert pinned.path.read_bytes() == DATA[FIRST], "what is on the disk stays"
    pinned.path.unlink()
    found = fetch(server, tmp_path)[0]
    assert (found.state, found.path) == ("changed", None)
    assert f"2015-01-01-0 changed: not the bytes recorded as {pinned.sha256[:12]}" in capsys.readouterr().err
    assert fetch(server, tmp_path)[0] == found
    (tmp_path / "2015-01-01-0.json").unlink()
    taken = fetch(server, tmp_path)[0]
    assert (taken.state, taken.path.read_bytes()) == ("read", server.files[FIRST]), "the advice holds"


def test_pitfall_07_a_file_that_changed_on_the_disk_is_not_used(server, tmp_path):
    path = fetch(server, tmp_path)[0].path
    path.write_bytes(DATA[FIRST][:-1] + b"?")
    assert fetch(server, tmp_path)[0].state == "changed"
    path.unlink()
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]


def test_pitfall_07_a_rewritten_file_does_not_end_a_part_of_the_old_one(server, tmp_path):
    """The two saved copies of 2015-01-01-1 have the same events and other bytes."""
    server.script[FIRST] = [drop(100_000)]
    assert fetch(server, tmp_path, HOURS[:1], attempts=1)[0].state == "failed"
    server.files[FIRST] = random.Random("rewritten").randbytes(300_000)
    assert fetch(server, tmp_path)[0].path.read_bytes() == server.files[FIRST]


def test_a_file_put_there_by_hand_is_recorded(server, tmp_path):
    (tmp_path / "2015-01-01-0.json.gz").write_bytes(b"from a mirror")
    found = fetch(server, tmp_path)[0]
    assert (found.state, found.sha256) == ("read", hashlib.sha256(b"from a mirror").hexdigest())
    assert FIRST not in server.paths()
    found.path.write_bytes(b"from elsewhere")
    assert fetch(server, tmp_path)[0].state == "changed"


def test_a_record_that_is_none(server, tmp_path):
    (tmp_path / "2015-01-01-0.json").write_text("{")
    with pytest.raises(UserError, match=r"2015-01-01-0.json is no record of a download: .*; delete it and run again"):
        fetch(server, tmp_path)


def test_a_disk_that_fails(server, tmp_path):
    (tmp_path / "2015-01-01-0.json.gz.part").mkdir()
    with pytest.raises(UserError, match=r"what was downloaded is kept, run again"):
        fetch(server, tmp_path)


def test_two_runs_do_not_write_one_month(server, tmp_path):
    with lock(tmp_path / ".locks" / "2015-01"), pytest.raises(UserError, match="being written by another process"):
        fetch(server, tmp_path)
