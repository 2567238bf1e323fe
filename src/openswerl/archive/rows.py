"""One event to one row, in the order of the columns."""

import re
from typing import Any

import msgspec

from openswerl.archive.shapes import (
    Comment,
    Issue,
    Label,
    Payload,
    Pull,
    Record,
    Review,
    Side,
    SideRepository,
    User,
)
from openswerl.archive.times import utc

Row = tuple[Any, ...]
REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
# Before 2015 the event's address alone holds the number; `issues` there may still be a pull request.
ADDRESS = re.compile(r"https?://github\.com/[^/]+/[^/]+/(issues|pull)/(\d{1,9})(?!\d)", re.ASCII)
NO_USER, NO_SIDE, NO_REPOSITORY = User(), Side(), SideRepository()
NO_STATE: Row = (None,) * 6
NO_SIZE: Row = (None,) * 8
NO_REMARK: Row = (None,) * 6


def row_of(file: str, offset: int, record: Record) -> Row:
    """Return the row of a wanted event.

    Raises msgspec.ValidationError if it has no repository name, no time, or, as a PullRequestEvent, no number.
    """
    payload = record.payload
    pull, issue = payload.pull_request, payload.issue
    if isinstance(pull, Pull):
        about = _pull(pull, record)
    elif isinstance(issue, Issue):
        about = _issue(issue, record)
    else:
        about = _old_issue(payload, record)
    return (file, offset, *_event(record), *about, *_remark(payload))


def _event(record: Record) -> Row:
    repo, old, actor = record.repo, record.repository, record.actor
    name = repo.name if repo else f"{old.owner}/{old.name}" if old else ""
    if not REPOSITORY.fullmatch(name):
        raise msgspec.ValidationError(f"{name[:60]!r} is no repository name")
    known = (repo.id if repo else old.id if old else None) or _base_id(record)
    login = actor.login if isinstance(actor, User) else actor
    return (record.id, record.type, record.payload.action or "", utc(record.created_at), name, known, login or "")


def _base_id(record: Record) -> int | None:
    pull = record.payload.pull_request
    return pull.base.repo.id if isinstance(pull, Pull) and pull.base and pull.base.repo else None


def _pull(pull: Pull, record: Record) -> Row:
    user, head, base = pull.user or NO_USER, pull.head or NO_SIDE, pull.base or NO_SIDE
    home, source = base.repo or NO_REPOSITORY, head.repo or NO_REPOSITORY
    return (
        pull.number,
        True,
        pull.title,
        pull.body,
        user.login,
        user.type,
        _names(pull.labels),
        utc(pull.updated_at),
        pull.merged,
        utc(pull.merged_at),
        pull.merge_commit_sha,
        base.sha,
        base.ref,
        home.default_branch or home.master_branch,
        home.fork if home.fork is not None else _fork(record),
        head.sha,
        head.ref,
        source.full_name or _full_name(source.url),
        source.id,
        pull.commits,
        pull.additions,
        pull.deletions,
        pull.changed_files,
    )


def _full_name(url: str | None) -> str | None:
    """Return owner/name from an address of the API."""
    name = (url or "").partition("/repos/")[2]
    return name if REPOSITORY.fullmatch(name) else None


def _fork(record: Record) -> bool | None:
    return record.repository.fork if record.repository else None


def _names(labels: list[Label] | None) -> list[str] | None:
    return None if labels is None else [label.name for label in labels]


def _issue(issue: Issue, record: Record) -> Row:
    user = issue.user or NO_USER
    labels, updated_at = _names(issue.labels), utc(issue.updated_at)
    text = (issue.number, issue.is_pull, issue.title, issue.body, user.login, user.type, labels, updated_at)
    return (*text, *NO_STATE, _fork(record), *NO_SIZE)


def _old_issue(payload: Payload, record: Record) -> Row:
    """Of what has no text; whether it is a pull request stands in the address, or nowhere."""
    address = ADDRESS.match(record.url or "")
    number = payload.number or (int(address[2]) if address else None)
    if number is None and record.type == "PullRequestEvent":
        raise msgspec.ValidationError("PullRequestEvent without a number")
    is_pull = record.type.startswith("PullRequest") or (address is not None and address[1] == "pull") or None
    return (number, is_pull, *NO_STATE, *NO_STATE, _fork(record), *NO_SIZE)


def _remark(payload: Payload) -> Row:
    remark = payload.review or payload.comment
    if isinstance(remark, Comment):
        user = remark.user or NO_USER
        return (remark.id, remark.body, user.login, user.type, utc(remark.created_at), remark.path, None)
    if isinstance(remark, Review):
        user = remark.user or NO_USER
        return (remark.id, remark.body, user.login, user.type, utc(remark.submitted_at), None, remark.state)
    return (payload.comment_id if remark is None else remark, *NO_REMARK)
