"""Hours as the archive stage leaves them: rows of archive/columns.py in Parquet."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.archive.columns import EVENTS

MEMORY_MB = 400
AT = "2020-01-02T03:04:05Z"
Row = dict[str, Any]
_numbers = itertools.count(1)


def event(kind: str, repo: str, number: int | None, **columns: Any) -> Row:
    """Return a row with an event id of its own; the repository has no id unless `repo_id` gives one."""
    row = dict.fromkeys(EVENTS.names) | {
        "file": "h.json.gz",
        "offset": next(_numbers),
        "event_id": str(next(_numbers)),
        "type": kind,
        "action": "created",
        "created_at": AT,
        "repo": repo,
        "actor": "ann",
        "number": number,
    }
    assert columns.keys() <= row.keys()
    return row | columns


def merged(repo: str, number: int, **columns: Any) -> Row:
    """Return the PullRequestEvent of a merge."""
    at = columns.setdefault("merged_at", AT)
    full = {
        "action": "closed",
        "created_at": at,
        "updated_at": at,
        "merged": True,
        "title": f"Change {number}",
        "author": "ann",
        "author_type": "User",
        "base_sha": "0" * 40,
        "head_sha": "1" * 40,
        "base_ref": "main",
        "default_branch": "main",
        "fork": False,
    }
    return event("PullRequestEvent", repo, number, **full | columns)


def closed(repo: str, number: int, known: bool | None, **columns: Any) -> Row:
    """Return a PullRequestEvent that says that it was not merged, or nothing about that."""
    return event("PullRequestEvent", repo, number, **{"action": "closed", "merged": known, "title": "t"} | columns)


def issue(repo: str, number: int, title: str | None, body: str | None = "", **columns: Any) -> Row:
    """Return an IssuesEvent of an issue that was opened before any merge."""
    full = {"action": "opened", "created_at": "2020-01-01T00:00:00Z", "is_pull": False, "title": title, "body": body}
    return event("IssuesEvent", repo, number, **full | columns)


def comment(repo: str, number: int, body: str | None, **columns: Any) -> Row:
    """Return an IssueCommentEvent."""
    full = {"comment_body": body, "comment_author": "bob", "comment_author_type": "User"}
    return event("IssueCommentEvent", repo, number, **full | columns)


def write_events(path: Path, *rows: Row) -> Path:
    """Write an hour's Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows), EVENTS), path, row_group_size=200, compression="zstd")
    return path
