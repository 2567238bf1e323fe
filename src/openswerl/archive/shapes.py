"""The fields that the crawl reads of a stored event: shapes of 2011-2014, of 2015 on, and the thin one of late 2025."""

from typing import Annotated

import msgspec

Number = Annotated[int, msgspec.Meta(ge=1, le=(1 << 31) - 1)]


class User(msgspec.Struct, frozen=True):
    """An account; `type` is empty before 2015."""

    login: str = ""
    type: str = ""


class BaseRepository(msgspec.Struct, frozen=True):
    """The repository that a side of a pull request lives in."""

    id: int | None = None
    fork: bool | None = None


class Side(msgspec.Struct, frozen=True):
    """Head or base of a pull request."""

    sha: str = ""
    ref: str | None = None
    repo: BaseRepository | None = None


class Pull(msgspec.Struct, frozen=True):
    """A pull request at the time of an event; None is unknown, never false."""

    number: Number
    head: Side
    base: Side
    title: str | None = None
    body: str | None = None
    user: User | None = None
    merged: bool | None = None
    merged_at: str | None = None
    updated_at: str | None = None
    commits: int | None = None
    additions: int | None = None
    deletions: int | None = None
    changed_files: int | None = None


class PullLink(msgspec.Struct, frozen=True):
    """What an issue carries when it is a pull request; old events carry it always, with null addresses."""

    html_url: str | None = None
    url: str | None = None


class IssueText(msgspec.Struct, frozen=True):
    """An issue at the time of an event."""

    number: Number
    title: str | None = None
    body: str | None = None
    pull_request: PullLink | None = None

    @property
    def is_pull(self) -> bool:
        """Whether the number belongs to a pull request."""
        link = self.pull_request
        return link is not None and bool(link.html_url or link.url)


class Repo(msgspec.Struct):
    """The repository of an event, owner/name, from 2015 on."""

    name: str = ""
    id: int | None = None


class OldRepository(msgspec.Struct):
    """The same before 2015."""

    owner: str = ""
    name: str = ""
    id: int | None = None


class Payload(msgspec.Struct):
    """What the wanted event types carry; `issue` is a bare id before 2015."""

    action: str | None = None
    pull_request: Pull | int | None = None
    issue: IssueText | int | None = None


class Record(msgspec.Struct):
    """An event as stored."""

    type: str
    created_at: str
    payload: Payload
    id: str = ""
    repo: Repo | None = None
    repository: OldRepository | None = None
