"""Hour files made of small events of every generation."""

import gzip
import json
from pathlib import Path
from typing import Any

from openswerl.archive.columns import EVENTS
from openswerl.archive.events import WANTED, Bad, HourReader

Event = dict[str, Any]
Z = "2015-01-01T15:00:01Z"


def modern(kind: str, payload: Event, number: int = 1, repo: str = "acme/widget") -> Event:
    """An event of 2015 on; `number` becomes its id."""
    return {
        "id": str(2_489_000_000 + number),
        "type": kind,
        "actor": {"id": 5, "login": "ann", "url": "https://api.github.com/users/ann"},
        "repo": {"id": 77, "name": repo, "url": f"https://api.github.com/repos/{repo}"},
        "payload": payload,
        "public": True,
        "created_at": Z,
    }


def side(sha: str, **changes: Any) -> Event:
    repo = {"id": 77, "full_name": "acme/widget", "fork": False, "default_branch": "main", "owner": {"id": 9}}
    return {"label": "acme:main", "ref": "main", "sha": sha * 40, "user": {"login": "acme"}, "repo": repo} | changes


def pull(number: int, **changes: Any) -> Event:
    """A pull request object, merged."""
    return {
        "id": 900 + number,
        "number": number,
        "state": "closed",
        "title": "Fix it",
        "body": "Fixes #3",
        "user": {"login": "ann", "id": 5, "type": "User"},
        "updated_at": Z,
        "merged": True,
        "merged_at": Z,
        "merge_commit_sha": "c" * 40,
        "head": side("a", ref="fix"),
        "base": side("b"),
        "commits": 2,
        "additions": 10,
        "deletions": 4,
        "changed_files": 3,
    } | changes


def pull_event(number: int, **changes: Any) -> Event:
    return modern(
        "PullRequestEvent", {"action": "closed", "number": number, "pull_request": pull(number, **changes)}, number
    )


def issue(number: int, **changes: Any) -> Event:
    user = {"login": "bob", "type": "User"}
    return {"number": number, "title": "It breaks", "body": "Badly.", "user": user, "updated_at": Z} | changes


def comment_event(number: int, **changes: Any) -> Event:
    comment = {"id": 8, "body": "Me too", "user": {"login": "cat[bot]", "type": "Bot"}, "created_at": Z}
    return modern("IssueCommentEvent", {"action": "created", "issue": issue(number, **changes), "comment": comment})


def push_event(number: int, text: str = "work") -> Event:
    return modern("PushEvent", {"size": 1, "commits": [{"sha": "d" * 40, "message": text}]}, number)


def old(kind: str, payload: Event, address: str = "issues/9", **changes: Any) -> Event:
    """An event of 2012: the type at the end, local time, no id."""
    return {
        "repository": {"owner": "dgl", "name": "cpangrep", "url": "https://github.com/dgl/cpangrep", "fork": False},
        "actor_attributes": {"type": "User", "login": "dgl"},
        "created_at": "2012/04/11 15:55:43 -0700",
        "public": True,
        "actor": "dgl",
        "payload": payload,
        "url": f"https://github.com/dgl/cpangrep/{address}",
        "type": kind,
    } | changes


def old_pull_event(number: int) -> Event:
    repo = {"id": 77, "url": "https://api.github.com/repos/dgl/cpangrep", "fork": False, "master_branch": "master"}
    found = pull(number, head={"sha": "a" * 40, "ref": "x", "repo": None}, base={"sha": "b" * 40, "repo": repo})
    found["user"] = {"login": "x", "id": 3}
    del found["merge_commit_sha"]
    return old("PullRequestEvent", {"number": number, "action": "closed", "pull_request": found}, f"pull/{number}")


def thin_event(number: int) -> Event:
    """A pull request event since October 2025."""
    repo = {"id": 77, "url": "https://api.github.com/repos/acme/widget", "name": "widget"}
    sides = {key: {"ref": "x", "sha": key[0] * 40, "repo": repo} for key in ("head", "base")}
    found = {"url": "https://api.github.com/repos/acme/widget/pulls/8", "id": 1, "number": number, **sides}
    return modern("PullRequestEvent", {"action": "closed", "number": number, "pull_request": found}, number)


def dumps(event: Event) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode()


def write_hour(path: Path, *lines: Event | bytes, end: bytes = b"\n") -> Path:
    """Write lines: events, or bytes as they are."""
    path.write_bytes(
        gzip.compress(b"".join((line if isinstance(line, bytes) else dumps(line)) + end for line in lines), 1)
    )
    return path


def read(path: Path, wanted: tuple[str, ...] = WANTED) -> tuple[list[Event], list[Bad], HourReader]:
    """Return the rows by column, what was quarantined, and the reader."""
    reader = HourReader(path, wanted)
    rows = [dict(zip(EVENTS.names, row, strict=True)) for batch in reader.batches() for row in batch]
    return rows, reader.take_bad(), reader


def only(tmp_path, *lines):
    """Return the rows of an hour in which nothing is wrong, without the columns that are null."""
    rows, bad, reader = read(write_hour(tmp_path / "h.json.gz", *lines))
    assert (bad, reader.account.balanced) == ([], True)
    return [{key: value for key, value in row.items() if value is not None} for row in rows]
