import gzip
import json
from collections import Counter

import pytest

from archive.hours import Z, only, read


def test_real_files_hold_the_events_of_the_manifest(gharchive):
    wanted = ("PullRequestEvent", "IssuesEvent", "IssueCommentEvent", "PullRequestReviewEvent")
    wanted += ("PullRequestReviewCommentEvent",)
    entries = json.loads((gharchive / "manifest.json").read_text())
    for entry in entries:
        rows, bad, reader = read(gharchive / entry["file"])
        assert Counter(row["type"] for row in rows) == {k: n for k, n in entry["types"].items() if k in wanted}
        assert reader.account.other_events == sum(n for k, n in entry["types"].items() if k not in wanted)
        assert (bad, reader.account.input_bytes, reader.account.balanced) == ([], entry["raw_bytes"], True)
        newlines = gzip.decompress((gharchive / entry["file"]).read_bytes()).count(b"\n")
        assert reader.account.separator_bytes == newlines
    assert len(entries) == 6


def test_real_rows_hold_what_the_expected_records_say(gharchive):
    records = json.loads((gharchive / "expected.json").read_text())["records"]
    rows = {}
    for name in {record["event_file"] for record in records}:
        for row in read(gharchive / name)[0]:
            rows[name, row["event_id"], row["number"], row["repo"].lower()] = row
    for record in records:
        key = (record["event_file"], record["event_id"] or "", record["number"], record["repo"].lower())
        row = rows[key]
        for name in ("title", "merged_at", "base_sha", "head_sha"):
            assert row[name] == record[name], (key, name)
        assert {name: row[name] for name in record["event_counts"]} == record["event_counts"]
        assert row["merged"] is True


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("2012-04-11-15.concat-nonewline", "2012-04-11T22:01", "2012-04-11T23:02"),  # named in Pacific daylight time
        ("2012-06-14-15.prissue", "2012-06-14T22:01", "2012-06-14T23:02"),
        ("2015-01-01-0.prissue", "2015-01-01T00:00", "2015-01-01T01:00"),
    ],
)
def test_real_times_are_utc(gharchive, name, first, last):
    rows, _, _ = read(gharchive / f"{name}.json.gz")
    assert all(first <= row["created_at"] < last for row in rows)
    assert all(len(row[key] or Z) == 20 for row in rows for key in ("created_at", "updated_at", "merged_at"))
    comments = [row for row in rows if row["comment_at"]]
    assert comments and all(row["comment_at"] < last and len(row["comment_at"]) == 20 for row in comments)


def test_real_thin_record(gharchive, tmp_path):
    line = (gharchive / "trimmed-2025-10.PullRequestEvent.ndjson").read_bytes().strip()
    [row] = only(tmp_path, line)
    assert (row["repo"], row["repo_id"], row["number"]) == ("wayofthepie/test-events", 316335970, 8)
    assert (row["head_repo"], row["base_ref"]) == ("wayofthepie/test-events", "master")
    assert not {"merged", "title", "body"} & row.keys()
