"""The events of one hour file, typed. Reading never fails for what a file holds."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from openswerl.crawl.gz import DamagedError, read_gzip
from openswerl.crawl.shapes import IssueText, OldRepository, Pull, Record, Repo
from openswerl.crawl.split import spans, split_lines

SAMPLE = 200
HEAD = 80
HEAD_TYPE = re.compile(rb'"type"\s*:\s*"(\w+Event)"')
WANTED_TYPES = ("PullRequestEvent", "IssuesEvent", "IssueCommentEvent")
WANTED = {name.encode() for name in WANTED_TYPES}
INNER_EVENT = b'{"id":"'
REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class Bad(msgspec.Struct, frozen=True):
    """A stretch of input that could not be used: `offset` counts decompressed bytes; `reason` is a stable code."""

    file: str
    offset: int
    reason: str
    sample: str


class Event(msgspec.Struct, frozen=True):
    """One event in the common shape; `file` and `offset` say where it came from."""

    file: str
    offset: int
    id: str
    type: str
    created_at: str
    action: str
    repo: str
    repo_id: int | None
    pull: Pull | None
    issue: IssueText | None


DECODER = msgspec.json.Decoder(Record)


def read_events(path: Path) -> Iterator[Event | Bad]:
    """Yield the pull request and issue events of an hour file, and what could not be read; never raises for content."""
    reader = _Reader(path)
    for offset, line in split_lines(reader.pieces()):
        yield from reader.line(offset, line)
    if reader.damage:
        yield Bad(path.name, reader.size, reader.damage, "")


class _Reader:
    """One file's position and fault."""

    def __init__(self, path: Path) -> None:
        self.path, self.size, self.damage = path, 0, ""

    def pieces(self) -> Iterator[bytes]:
        try:
            for piece in read_gzip(self.path):
                self.size += len(piece)
                yield piece
        except DamagedError as error:
            self.damage = error.reason

    def line(self, offset: int, line: bytes) -> Iterable[Event | Bad]:
        """Decode a line that is one object; take any other one apart."""
        if _looks_whole(line):
            if not _wanted(line):
                return ()
            with contextlib.suppress(msgspec.MsgspecError, RecursionError):
                return self._event(offset, line)
        return self._parts(offset, line)

    def _parts(self, offset: int, line: bytes) -> Iterator[Event | Bad]:
        for start, end, good in spans(line):
            part = line[start:end]
            if not good:
                yield self._bad(offset + start, part, "not_json" if part.strip(b"\0\r ") else "nul_padding")
            elif _wanted(part):
                try:
                    yield from self._event(offset + start, part)
                except (msgspec.MsgspecError, RecursionError) as error:
                    yield self._bad(offset + start, str(error).encode() + b": " + part, "unexpected_shape")

    def _event(self, offset: int, data: bytes) -> tuple[Event, ...]:
        """Return the event, or nothing if the type stood in some text only. Raises msgspec.MsgspecError."""
        record = DECODER.decode(data)
        if record.type not in WANTED_TYPES:
            return ()
        payload, repo, old = record.payload, record.repo or Repo(), record.repository or OldRepository()
        pull = payload.pull_request if isinstance(payload.pull_request, Pull) else None
        issue = payload.issue if isinstance(payload.issue, IssueText) else None
        name = repo.name or f"{old.owner}/{old.name}"
        if not REPOSITORY.fullmatch(name):
            raise msgspec.ValidationError(f"{name[:60]!r} is no repository name")
        base = pull.base.repo if pull else None
        known = (base.id if base else None) or repo.id or old.id
        where = (self.path.name, offset, record.id, record.type, record.created_at)
        return (Event(*where, payload.action or "", name, known, pull, issue),)

    def _bad(self, offset: int, data: bytes, reason: str) -> Bad:
        return Bad(self.path.name, offset, reason, data[:SAMPLE].decode("utf-8", "replace"))


def _looks_whole(line: bytes) -> bool:
    """Whether the line is one object as far as a glance tells: braces at the ends, and no second event inside."""
    line = line.strip()
    return line[:1] == b"{" and line[-1:] == b"}" and line.find(INNER_EVENT, 1) < 0


def _wanted(line: bytes) -> bool:
    """Test the type before decoding; from 2015 on it stands in the first bytes, before that it may stand anywhere."""
    head = HEAD_TYPE.search(line, 0, HEAD)
    return head[1] in WANTED if head else any(name in line for name in WANTED)
