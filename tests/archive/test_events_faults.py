import gzip
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.hours import (
    dumps,
    modern,
    old,
    old_pull_event,
    only,
    pull,
    pull_event,
    push_event,
    read,
    thin_event,
    write_hour,
)
from openswerl.redact import email_placeholder


def test_pitfall_01_records_without_newlines(tmp_path):
    path = tmp_path / "h.json.gz"
    events = [dumps(old_pull_event(number)) for number in range(1, 51)]
    path.write_bytes(gzip.compress(b"".join(events)))
    rows, bad, reader = read(path)
    assert ([row["number"] for row in rows], bad) == (list(range(1, 51)), [])
    assert [row["offset"] for row in rows] == [sum(map(len, events[:place])) for place in range(50)]
    assert (reader.account.kept_bytes, reader.account.separator_bytes) == (sum(map(len, events)), 0)


def test_pitfall_01_a_real_hour_without_newlines(gharchive):
    path = gharchive / "2012-04-11-15.concat-nonewline.json.gz"
    raw = gzip.decompress(path.read_bytes())
    assert b"\n" not in raw
    rows, bad, reader = read(path)
    assert (len(rows), bad, reader.account.kept_bytes) == (511, [], len(raw))
    decoder, text = json.JSONDecoder(), raw.decode("latin-1")
    assert all(decoder.raw_decode(text, row["offset"])[0]["type"] == row["type"] for row in rows)


def test_pitfall_01_a_long_line_is_read_in_pieces(tmp_path):
    path = tmp_path / "h.json.gz"
    event = dumps(old_pull_event(1) | {"noise": "}{" * 3000})
    path.write_bytes(gzip.compress(event * 500 + event[:100] + event * 500, 1))
    rows, bad, reader = read(path)
    assert (len(rows), [(item.offset, item.length) for item in bad]) == (1000, [(500 * len(event), 100)])
    assert reader.account.balanced


def noise(number: int) -> str:
    return f"{random.Random(number).getrandbits(2000):x}"


def test_pitfall_02_a_truncated_file_keeps_the_good_part(tmp_path):
    path = write_hour(tmp_path / "h.json.gz", *(pull_event(number, title=noise(number)) for number in range(1, 400)))
    path.write_bytes(path.read_bytes()[:-20_000])
    rows, bad, reader = read(path)
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert 300 < len(rows) < 399
    assert [item.reason for item in bad] == ["truncated_gzip", "torn_event"]
    assert bad[1].offset + bad[1].length == reader.account.input_bytes
    assert reader.account.balanced


@pytest.mark.parametrize(
    ("content", "reason", "unread"),
    [
        (b"", "empty_file", 0),
        (b"AASDSADS", "not_gzip", 8),
        (b'{"type":"PushEvent"}\n', "not_gzip", 21),
        (gzip.compress(dumps(push_event(1)) + b"\n") + b"\0" * 600, "nul_padding", 600),
    ],
)
def test_pitfall_02_damaged_files(tmp_path, content, reason, unread):
    path = tmp_path / "h.json.gz"
    path.write_bytes(content)
    rows, bad, reader = read(path)
    assert (rows, [item.reason for item in bad], reader.account.unread_bytes) == ([], [reason], unread)
    assert reader.account.balanced


def test_pitfall_02_a_real_file_that_is_not_gzip(gharchive):
    rows, bad, reader = read(gharchive / "not-gzip-2015-01-01-11.json.gz")
    assert (rows, [(item.reason, item.offset, item.length) for item in bad]) == ([], [("not_gzip", 0, 0)])
    assert reader.account.unread_bytes == 2048


def test_pitfall_02_padding_inside_a_line(tmp_path):
    event = dumps(pull_event(1))
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", event + b"\0" * 5000 + event, b"\0" * 70))
    assert [row["offset"] for row in rows] == [0, len(event) + 5000]
    assert [(item.reason, item.length) for item in bad] == [("nul_padding", 5000), ("nul_padding", 70)]
    assert (reader.account.quarantined_bytes, reader.account.separator_bytes) == (5070, 2)


@pytest.mark.parametrize("torn", [push_event(1, "x" * 100), pull_event(1), thin_event(1), old_pull_event(1)])
@pytest.mark.parametrize("whole", [pull_event(3), old_pull_event(3)])
@pytest.mark.parametrize("keep", [20, 90, 200, -1])
def test_pitfall_03_an_event_inside_a_torn_line_is_found(tmp_path, torn, whole, keep):
    half = dumps(torn)[:keep]
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", half + dumps(whole), pull_event(4)))
    assert [row["number"] for row in rows] == [3, 4]
    assert [(item.offset, item.reason, item.length) for item in bad] == [(0, "torn_event", len(half))]
    assert reader.account.balanced


def test_pitfall_03_the_second_half_of_an_event_is_no_event(tmp_path):
    half = dumps(pull_event(1))[300:]
    rows, bad, _ = read(write_hour(tmp_path / "h.json.gz", half + dumps(pull_event(3)), half, pull_event(4)))
    assert [row["number"] for row in rows] == [3, 4]
    assert [(item.reason, item.length) for item in bad] == [("not_json", len(half))] * 2


def test_pitfall_03_many_torn_lines_cost_only_themselves(tmp_path):
    lines = [dumps(pull_event(number))[: 40 + number] if number % 3 else pull_event(number) for number in range(1, 301)]
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", *lines))
    assert [row["number"] for row in rows] == list(range(3, 301, 3))
    assert (len(bad), reader.account.quarantine) == (200, {"torn_event": 200})


def test_pitfall_08_a_type_named_in_a_text_is_no_type(tmp_path):
    quoting = '"type":"PullRequestEvent" and "PullRequestEvent" {"id":"1","type":"PullRequestEvent"'
    disguised = modern("WatchEvent", {"type": "PullRequestEvent", "pull_request": pull(1)})
    nested = old("CommitCommentEvent", {"comment": quoting, "kind": "PullRequestEvent", "type": "IssuesEvent"})
    assert only(tmp_path, push_event(1, quoting), disguised, nested) == []


def test_pitfall_08_the_type_may_stand_anywhere(tmp_path):
    event = pull_event(5)
    last = {key: event[key] for key in sorted(event, key=lambda key: (key == "type", key))}
    spaced = json.dumps(pull_event(6), indent=None).encode()
    rows = only(tmp_path, last, spaced, old_pull_event(7))
    assert [row["number"] for row in rows] == [5, 6, 7]


def test_pitfall_08_two_types_are_quarantined(tmp_path):
    line = dumps(pull_event(1))[:-1] + b',"type":"PushEvent"}'
    rows, bad, _ = read(write_hour(tmp_path / "h.json.gz", line))
    assert (rows, [item.reason for item in bad]) == ([], ["unexpected_shape"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"<html>Service unavailable</html>", "not_json"),
        (b'{"id":"1","type":"PullRequestEvent","pay', "torn_event"),
        (b"\0" * 5000, "nul_padding"),
        (b"\xff\xfe\x00", "not_json"),
        (b"\xa0\x85", "not_json"),
        (b'"just text"', "not_json"),
        (b'{"message":"no event"}', "unexpected_shape"),
        (b'{"id":"1","type":"PullRequestEvent","payload":' + b"[" * 100_000 + b"}", "torn_event"),
        (dumps(push_event(1)).replace(b'"size":1', b'"size":NaN'), "torn_event"),
        (dumps(pull_event(1)).replace(b'"commits":2', b'"commits":Infinity'), "torn_event"),
        (dumps(modern("PullRequestEvent", {"pull_request": pull(1)}, repo="not a name")), "unexpected_shape"),
        (dumps(modern("PullRequestEvent", {"action": "closed"})), "unexpected_shape"),
        (dumps(pull_event(1) | {"created_at": "yesterday"}), "unexpected_shape"),
        (dumps(pull_event(1 << 70)), "unexpected_shape"),
        (dumps(pull_event(1, additions=1 << 63)), "unexpected_shape"),
        (dumps(pull_event(1, additions=-(1 << 63) - 1)), "unexpected_shape"),
        (dumps(pull_event(1, commits=1.5)), "unexpected_shape"),
        (dumps(pull_event(1, commits=10**4000)), "unexpected_shape"),
        (dumps(pull_event(1, title=["x"])), "unexpected_shape"),
        (dumps(pull_event(1, title="@")).replace(b'"@"', b'"\xff"'), "unexpected_shape"),
    ],
)
def test_a_bad_line_is_quarantined_alone(tmp_path, line, reason):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), line, pull_event(2))
    rows, bad, reader = read(path)
    assert [row["number"] for row in rows] == [1, 2]
    start = len(dumps(pull_event(1))) + 1
    assert [(item.file, item.offset, item.length, item.reason) for item in bad] == [
        ("h.json.gz", start, len(line), reason)
    ]
    assert len(bad[0].sample) <= 200
    assert reader.account.balanced


def test_numbers_at_the_ends_of_int64_are_kept(tmp_path):
    [row] = only(tmp_path, pull_event(1, additions=(1 << 63) - 1, deletions=-(1 << 63)))
    assert (row["additions"], row["deletions"]) == ((1 << 63) - 1, -(1 << 63))


def test_samples_are_redacted(tmp_path):
    torn = b'{"id":"1","type":"PushEvent","x":"someone@gmail.com","y"'
    _, [bad], _ = read(write_hour(tmp_path / "h.json.gz", torn))
    assert bad.reason == "torn_event" and "someone@gmail.com" not in bad.sample and '"type":"PushEvent"' in bad.sample


SPELLED = "".join(rf"\u{ord(character):04x}" for character in "someone@gmail.com")


@pytest.mark.parametrize(
    "hidden",
    [
        r"someone\u0040gmail.com",
        r"someone\u0040gmail\u002Ecom",
        r"someone\\u0040gmail.com",
        SPELLED,
        # So that the address would be cut, and not known, if escapes were undone after the cut.
        r"\u0020" * 125 + SPELLED,
    ],
)
def test_escaped_addresses_in_samples_are_redacted(tmp_path, hidden):
    torn = rf'{{"id":"1","type":"PushEvent","x":"{hidden} é\u00e9\u000a'.encode()
    _, [bad], _ = read(write_hour(tmp_path / "h.json.gz", torn))
    start, _, rest = bad.sample.partition('"x":"')
    assert (bad.reason, start) == ("torn_event", '{"id":"1","type":"PushEvent",')
    assert rest.lstrip().startswith(email_placeholder("someone@gmail.com")[:20])
    assert len(bad.sample) == 200 or rest.endswith(r" é\u00e9\u000a")


def test_white_space_is_no_fault(tmp_path):
    push = dumps(push_event(1))
    inside = push.replace(b',"payload"', b'\r,\r"payload"')
    lines = [dumps(pull_event(1)) + b"\r", b"", b"\r", b" ", b"\t" + push + b"  ", inside, b"junk", push + b"\r"]
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", *lines))
    assert (len(rows), [item.length for item in bad], reader.account.other_events) == (1, [4], 3)
    assert reader.account.kept_bytes == len(dumps(pull_event(1)))
    assert reader.account.other_bytes == 3 * len(push) + 2
    assert reader.account.separator_bytes == len(lines) + 1 + 1 + 1 + 3 + 1


@pytest.mark.parametrize("broken", [b"{}", b"\0", b'{"id":"2","type":"PushEvent"}', dumps(push_event(7))[:90]])
def test_a_fault_among_lines_of_other_types_is_found(tmp_path, broken):
    good = [dumps(push_event(number)) for number in range(5)]
    torn = broken + good[4]
    lines = [*good, torn, pull_event(1), *good, dumps(push_event(1)) + b" "]
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", *lines))
    assert (len(rows), [(item.offset, item.length) for item in bad]) == (
        1,
        [(sum(len(line) + 1 for line in good), len(broken))],
    )
    assert (reader.account.other_events, reader.account.other_bytes) == (12, 2 * sum(map(len, good)) + 2 * len(good[0]))
    assert reader.account.balanced


@given(st.lists(st.binary(max_size=200).map(lambda data: data.replace(b"\n", b"")), max_size=5))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_good_lines_survive_any_neighbours(tmp_path, lines):
    good = [pull_event(number) for number in range(1, len(lines) + 2)]
    mixed = [item for pair in zip(good, lines, strict=False) for item in pair] + good[len(lines) :]
    rows, _, reader = read(write_hour(tmp_path / "h.json.gz", *mixed))
    assert [row["number"] for row in rows] == list(range(1, len(lines) + 2))
    assert reader.account.balanced
