import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawl.world import dumps, pull_record, record, write_hour
from openswerl.crawl.events import Bad, Event, read_events

OLD_PULL = {
    "repository": {"owner": "dgl", "name": "cpangrep", "url": "https://github.com/dgl/cpangrep", "fork": False},
    "actor_attributes": {"type": "User", "login": "dgl"},
    "created_at": "2012/04/11 15:55:43 -0700",
    "public": True,
    "actor": "dgl",
    "payload": {
        "number": 2,
        "action": "closed",
        "pull_request": {
            "number": 2,
            "merged": True,
            "body": "Adds a trailing \\b",
            "title": "Constrain",
            "merged_at": "2012-04-11T22:55:42Z",
            "updated_at": "2012-04-11T22:55:42Z",
            "commits": 1,
            "head": {"sha": "a" * 40, "repo": None},
            "base": {"sha": "b" * 40, "ref": "master", "repo": {"id": 77}},
            "user": {"login": "x", "id": 3},
        },
    },
    "type": "PullRequestEvent",
}


def read(path: Path) -> tuple[list[Event], list[Bad]]:
    found = list(read_events(path))
    return [item for item in found if isinstance(item, Event)], [item for item in found if isinstance(item, Bad)]


def test_modern_shape(tmp_path):
    path = write_hour(tmp_path / "h.json.gz", pull_record("Acme/Widget", 7, title="T", commits=3))
    [event], bad = read(path)
    assert bad == []
    assert (event.repo, event.repo_id is not None, event.action, event.type) == (
        "Acme/Widget",
        True,
        "closed",
        "PullRequestEvent",
    )
    assert (event.pull.number, event.pull.title, event.pull.merged, event.pull.commits) == (7, "T", True, 3)
    assert (event.pull.additions, event.pull.user.type) == (None, "User")


def test_old_shape_with_the_type_at_the_end(tmp_path):
    [event], bad = read(write_hour(tmp_path / "h.json.gz", OLD_PULL))
    assert bad == []
    assert (event.repo, event.repo_id, event.pull.merged, event.pull.user.type) == ("dgl/cpangrep", 77, True, "")


def test_old_issue_event_has_no_text(tmp_path):
    old = {key: value for key, value in OLD_PULL.items() if key != "payload"} | {
        "type": "IssuesEvent",
        "payload": {"action": "opened", "issue": 5082481, "number": 294},
    }
    [event], bad = read(write_hour(tmp_path / "h.json.gz", old))
    assert (event.issue, bad) == (None, [])


def test_thin_shape_leaves_merged_unknown(tmp_path):
    thin = pull_record("a/b", 8)
    sides = {
        side: {"sha": "a" * 40, "ref": "x", "repo": {"id": 5, "url": "u", "name": "b"}} for side in ("head", "base")
    }
    thin["payload"]["pull_request"] = {"url": "u", "id": 1, "number": 8, **sides}
    [event], bad = read(write_hour(tmp_path / "h.json.gz", thin))
    assert (event.pull.merged, event.pull.title, event.pull.head.sha, bad) == (None, None, "a" * 40, [])


def test_pull_requests_are_told_from_issues_by_their_address(tmp_path):
    def comment(number: int, link: dict | None) -> dict:
        issue = {"number": number, "title": "t", "body": "b"} | ({"pull_request": link} if link is not None else {})
        return record("IssueCommentEvent", "a/b", {"action": "created", "issue": issue, "comment": {}}, "2015")

    null = {"html_url": None, "diff_url": None, "patch_url": None}
    events, _ = read(write_hour(tmp_path / "h.json.gz", comment(1, None), comment(2, null), comment(3, {"url": "u"})))
    assert [event.issue.is_pull for event in events] == [False, False, True]


def test_a_type_named_in_a_text_is_no_type(tmp_path):
    quoting = '"type":"PullRequestEvent" and "PullRequestEvent"'
    push = record("PushEvent", "a/b", {"commits": [{"message": quoting}]}, "2015")
    old = {**OLD_PULL, "type": "CommitCommentEvent", "payload": {"comment": quoting, "kind": "PullRequestEvent"}}
    assert read(write_hour(tmp_path / "h.json.gz", push, old)) == ([], [])


def test_records_without_newlines(tmp_path):
    path = tmp_path / "h.json.gz"
    path.write_bytes(gzip.compress(b"".join(dumps({**OLD_PULL, "n": n}) for n in range(50))))
    events, bad = read(path)
    assert (len(events), bad) == (50, [])
    raw = gzip.decompress(path.read_bytes())
    assert [json.loads(raw[event.offset :].partition(b'{"repository"')[0] or b"{}") for event in events] == [{}] * 50


@pytest.mark.parametrize("kind", ["PushEvent", "PullRequestEvent"])
def test_an_event_inside_a_torn_line_is_found(tmp_path, kind):
    torn = dumps(record(kind, "a/b", {"text": "x" * 100}, "2015"))[:90] + dumps(pull_record("a/b", 3))
    events, bad = read(write_hour(tmp_path / "h.json.gz", torn, pull_record("a/b", 4)))
    assert [event.pull.number for event in events] == [3, 4]
    assert [(item.offset, item.reason, len(item.sample)) for item in bad] == [(0, "not_json", 90)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"<html>Service unavailable</html>", "not_json"),
        (b'{"id":"1","type":"PullRequestEvent","pay', "not_json"),
        (b"\0" * 5000, "nul_padding"),
        (b"\xff\xfe\x00", "not_json"),
        (b'"just text"', "not_json"),
        (dumps(pull_record("not a name", 1)), "unexpected_shape"),
        (dumps(pull_record("a/b", 1 << 70)), "unexpected_shape"),
        (dumps(pull_record("a/b", 1, head=None)), "unexpected_shape"),
        (dumps(pull_record("a/b", 1, title=["x"])), "unexpected_shape"),
        (dumps(pull_record("a/b", 1, title="@")).replace(b'"@"', b'"\\ud800"'), "unexpected_shape"),
        (dumps(pull_record("a/b", 1, title="@")).replace(b'"@"', b'"\xff"'), "unexpected_shape"),
        (b'{"id":"1","type":"PullRequestEvent","payload":' + b"[" * 100_000 + b"}", "not_json"),
    ],
)
def test_a_bad_line_is_quarantined_alone(tmp_path, line, reason):
    path = write_hour(tmp_path / "h.json.gz", pull_record("a/b", 1), line, pull_record("a/b", 2))
    events, bad = read(path)
    assert [event.pull.number for event in events] == [1, 2]
    assert [(item.file, item.offset, item.reason) for item in bad] == [
        ("h.json.gz", len(dumps(pull_record("a/b", 1))) + 1, reason)
    ]
    assert len(bad[0].sample) <= 200


def test_truncated_file_keeps_the_good_part(tmp_path):
    path = write_hour(
        tmp_path / "h.json.gz", *(pull_record("a/b", n, title=f"{n * 7919 % 10007:x}" * 9) for n in range(1, 400))
    )
    path.write_bytes(path.read_bytes()[:-2000])
    events, bad = read(path)
    assert [event.pull.number for event in events] == list(range(1, len(events) + 1))
    assert 100 < len(events) < 399
    assert [item.reason for item in bad][-1] == "truncated_gzip"


def test_crlf_and_blank_lines_are_no_fault(tmp_path):
    events, bad = read(write_hour(tmp_path / "h.json.gz", dumps(pull_record("a/b", 1)) + b"\r", b"", b"\r", b" "))
    assert (len(events), bad) == (1, [])


@given(st.lists(st.binary(max_size=200).map(lambda data: data.replace(b"\n", b"")), max_size=5))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_good_lines_survive_any_neighbours(tmp_path, lines):
    good = [pull_record("a/b", number) for number in range(1, len(lines) + 2)]
    mixed = [item for pair in zip(good, lines, strict=False) for item in pair] + good[len(lines) :]
    events, _ = read(write_hour(tmp_path / "h.json.gz", *mixed))
    assert [event.pull.number for event in events] == list(range(1, len(lines) + 2))


def test_real_files_hold_the_events_of_the_manifest(gharchive):
    wanted = {"PullRequestEvent", "IssuesEvent", "IssueCommentEvent"}
    for entry in json.loads((gharchive / "manifest.json").read_text()):
        path = gharchive / entry["file"]
        if "types" not in entry or path.suffix != ".gz":
            continue
        events, bad = read(path)
        assert Counter(event.type for event in events) == {k: n for k, n in entry["types"].items() if k in wanted}
        assert bad == []
    assert [item.reason for item in read(gharchive / "not-gzip-2015-01-01-11.json.gz")[1]] == ["not_gzip"]


def test_real_thin_record(gharchive, tmp_path):
    line = (gharchive / "trimmed-2025-10.PullRequestEvent.ndjson").read_bytes().strip()
    [event], bad = read(write_hour(tmp_path / "h.json.gz", line))
    assert (event.repo, event.repo_id, event.pull.number, event.pull.merged, bad) == (
        "wayofthepie/test-events",
        316335970,
        8,
        None,
        [],
    )
