"""The fields of a stored event that are read: shapes of 2011-2014, of 2015 on, and the thin one of late 2025."""

from typing import Annotated

import msgspec

Number = Annotated[int, msgspec.Meta(ge=1, le=(1 << 31) - 1)]
Int = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class Shape(msgspec.Struct, frozen=True, gc=False):
    """Whatever is absent is None: unknown, never false or empty. Keys that are not named are skipped."""


class User(Shape, frozen=True):
    """An account; without a type before 2015."""

    login: str | None = None
    type: str | None = None


class Label(Shape, frozen=True):
    """A label of an issue or pull request."""

    name: str


class SideRepository(Shape, frozen=True):
    """The repository of a side; `master_branch` is what 2012 calls the default branch."""

    id: Int | None = None
    full_name: str | None = None
    url: str | None = None
    fork: bool | None = None
    default_branch: str | None = None
    master_branch: str | None = None


class Side(Shape, frozen=True):
    """Head or base of a pull request; a deleted fork leaves no repository."""

    sha: str | None = None
    ref: str | None = None
    repo: SideRepository | None = None


class Pull(Shape, frozen=True):
    """A pull request at the time of an event."""

    number: Number
    title: str | None = None
    body: str | None = None
    user: User | None = None
    labels: list[Label] | None = None
    updated_at: str | None = None
    merged: bool | None = None
    merged_at: str | None = None
    merge_commit_sha: str | None = None
    head: Side | None = None
    base: Side | None = None
    commits: Int | None = None
    additions: Int | None = None
    deletions: Int | None = None
    changed_files: Int | None = None


class PullLink(Shape, frozen=True):
    """What an issue carries when it is a pull request; old events carry it always, with null addresses."""

    html_url: str | None = None
    url: str | None = None


class Issue(Shape, frozen=True):
    """An issue or, with a link, a pull request at the time of an event."""

    number: Number
    title: str | None = None
    body: str | None = None
    user: User | None = None
    labels: list[Label] | None = None
    updated_at: str | None = None
    pull_request: PullLink | None = None

    @property
    def is_pull(self) -> bool:
        """Whether the number belongs to a pull request."""
        link = self.pull_request
        return link is not None and bool(link.html_url or link.url)


class Comment(Shape, frozen=True):
    """A comment, or a comment on a line, which alone has a path."""

    id: Int | None = None
    body: str | None = None
    user: User | None = None
    created_at: str | None = None
    path: str | None = None


class Review(Shape, frozen=True):
    """A review, from 2020 on."""

    id: Int | None = None
    body: str | None = None
    user: User | None = None
    submitted_at: str | None = None
    state: str | None = None


class Payload(Shape, frozen=True):
    """What the wanted event types carry; before 2015 `issue` is a bare id, and comments on issues are ids alone."""

    action: str | None = None
    number: Number | None = None
    pull_request: Pull | Int | None = None
    issue: Issue | Int | None = None
    comment: Comment | Int | None = None
    comment_id: Int | None = None
    review: Review | None = None


class Repo(Shape, frozen=True):
    """The repository of an event, owner/name, from 2015 on."""

    name: str
    id: Int | None = None


class OldRepository(Shape, frozen=True):
    """The same before 2015."""

    owner: str
    name: str
    id: Int | None = None
    fork: bool | None = None


class Record(Shape, frozen=True):
    """An event as stored; `url` stands there before 2015 alone."""

    type: str
    created_at: str
    payload: Payload
    id: str = ""
    actor: User | str | None = None
    repo: Repo | None = None
    repository: OldRepository | None = None
    url: str | None = None


class Head(Shape, frozen=True):
    """What makes an object an event, whatever its type."""

    type: str
    created_at: str
