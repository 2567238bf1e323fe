"""GH Archive hour files (Events v3) that describe exactly the generated pull requests, among other events."""

import datetime
import gzip
import io
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openswerl.files import replacing
from openswerl.laptop.counts import diff_counts
from openswerl.laptop.noise import BOT
from openswerl.laptop.repository import IssuePlan, PullPlan, Repository

Event = dict[str, Any]


@dataclass(frozen=True)
class Stored:
    """A repository together with where it was imported and its commit ids by mark."""

    repository: Repository
    folder: Path
    shas: dict[int, str]

    @property
    def id(self) -> int:
        """A stable repository id."""
        return zlib.crc32(self.repository.name.encode())


def write_archive(folder: Path, stored: Sequence[Stored]) -> int:
    """Write `YYYY-MM-DD-H.json.gz` files; returns the number of events. Same input, same bytes."""
    events = sorted((event for one in stored for event in repository_events(one)), key=_order)
    hours: dict[str, list[Event]] = defaultdict(list)
    for number, event in enumerate(events):
        hours[_hour(event["created_at"])].append({"id": str(26_000_000_000 + number), **event})
    for hour, found in hours.items():
        lines = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in found)
        with replacing(folder / f"{hour}.json.gz") as temporary:
            temporary.write_bytes(_gzip(lines.encode()))
    return len(events)


def _gzip(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="") as handle:
        handle.write(data)
    return buffer.getvalue()


def _order(event: Event) -> tuple[str, str, str]:
    return event["created_at"], event["repo"]["name"], event["type"]


def _hour(when: str) -> str:
    return f"{when[:10]}-{int(when[11:13])}"


def timestamp(when: int) -> str:
    """Return seconds since 1970 in GitHub's form."""
    return datetime.datetime.fromtimestamp(when, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def repository_events(stored: Stored) -> Iterator[Event]:
    """Yield every event of one repository, in no particular order."""
    repository = stored.repository
    for issue in repository.issues:
        yield _event(
            stored, "IssuesEvent", issue.author, issue.when, {"action": "opened", "issue": _issue(stored, issue)}
        )
    pairs = [(stored.shas[pull.merge_base], stored.shas[pull.head]) for pull in repository.pulls]
    for pull, counts in zip(repository.pulls, diff_counts(stored.folder, pairs), strict=True):
        yield from _pull_events(stored, pull, {**counts, "commits": pull.commits})
    for commit in repository.commits:
        if commit.ref == "refs/heads/main":
            sha = stored.shas[commit.mark]
            payload = {"ref": commit.ref, "head": sha, "size": 1, "commits": [{"sha": sha, "message": commit.message}]}
            yield _event(stored, "PushEvent", commit.author, commit.when, payload)
            if commit.mark % 5 == 0:
                yield _event(stored, "WatchEvent", "visitor", commit.when, {"action": "started"})


def _pull_events(stored: Stored, pull: PullPlan, counts: dict[str, int]) -> Iterator[Event]:
    opened = {"action": "opened", "number": pull.number, "pull_request": _pull(stored, pull, counts, merged=False)}
    yield _event(stored, "PullRequestEvent", pull.author, pull.opened_at, opened)
    if pull.issue is not None:
        comment = {"body": "I see this too." if pull.number % 2 else "Which version?", "user": _user("petra")}
        payload = {"action": "created", "issue": _issue(stored, pull.issue), "comment": comment}
        yield _event(stored, "IssueCommentEvent", "petra", pull.opened_at, payload)
    if pull.number % 3 == 0:
        payload = {
            "action": "created",
            "review": {"state": "approved", "body": "Looks right.", "user": _user("otto")},
            "pull_request": {"id": pull.number, "number": pull.number, "title": pull.title},
        }
        yield _event(stored, "PullRequestReviewEvent", "otto", pull.merged_at, payload)
    closed = {"action": "closed", "number": pull.number, "pull_request": _pull(stored, pull, counts, merged=True)}
    yield _event(stored, "PullRequestEvent", pull.author, pull.merged_at, closed)


def _event(stored: Stored, kind: str, actor: str, when: int, payload: Event) -> Event:
    return {
        "type": kind,
        "actor": {"id": zlib.crc32(actor.encode()), "login": actor},
        "repo": {"id": stored.id, "name": stored.repository.name},
        "payload": payload,
        "public": True,
        "created_at": timestamp(when),
    }


def _user(login: str) -> Event:
    return {"login": login, "id": zlib.crc32(login.encode()), "type": "Bot" if login == BOT else "User"}


def _issue(stored: Stored, issue: IssuePlan) -> Event:
    return {
        "id": stored.id % 10**6 * 10**4 + issue.number,
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "user": _user(issue.author),
        "state": "open",
        "created_at": timestamp(issue.when),
        "updated_at": timestamp(issue.when),
    }


def _pull(stored: Stored, pull: PullPlan, counts: dict[str, int], *, merged: bool) -> Event:
    when = timestamp(pull.merged_at if merged else pull.opened_at)
    return {
        "id": stored.id % 10**6 * 10**4 + pull.number,
        "number": pull.number,
        "state": "closed" if merged else "open",
        "title": pull.title,
        "body": pull.body,
        "user": _user(pull.author),
        "created_at": timestamp(pull.opened_at),
        "updated_at": when,
        "merged": merged,
        "merged_at": when if merged else None,
        "merge_commit_sha": stored.shas[pull.merged] if merged else None,
        "base": _side(stored, pull.base_ref, stored.shas[pull.base]),
        "head": _side(stored, f"patch-{pull.number}", stored.shas[pull.head]),
        **counts,
    }


def _side(stored: Stored, ref: str, sha: str) -> Event:
    repo = {"id": stored.id, "full_name": stored.repository.name, "default_branch": "main", "fork": False}
    return {"ref": ref, "sha": sha, "repo": repo}
