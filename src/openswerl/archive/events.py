"""The wanted events of one hour file as rows. Reading never fails for what a file holds."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from openswerl.archive.account import Account
from openswerl.archive.gz import DamagedError, read_gzip
from openswerl.archive.rows import Row, row_of
from openswerl.archive.shapes import Head, Record
from openswerl.archive.split import EVENT_START, blocks, spans
from openswerl.redact import redact

Line = tuple[int, int, bool]  # start and end in bytes, and whether it starts and ends as a wanted event
SAMPLE = 200  # characters
WANTED = (
    "PullRequestEvent",
    "IssuesEvent",
    "IssueCommentEvent",
    "PullRequestReviewEvent",
    "PullRequestReviewCommentEvent",
)
# Escapes, of which the group holds those of a surrogate without its pair.
ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
# JSON's escapes of printable ASCII, which may hide an address; of JSON inside a string too.
ASCII_ESCAPE = re.compile(r"\\+u00([2-6][0-9a-fA-F]|7[0-9a-eA-E])")
LONGEST_ESCAPE = 7  # characters, inside a string of JSON
FAULTS = (msgspec.MsgspecError, RecursionError)
CLOSING_BRACE = ord("}")
LINE = re.compile(rb"[^\n]+")
decode_head = msgspec.json.Decoder(Head).decode
decode_heads = msgspec.json.Decoder(Head).decode_lines
decode_record = msgspec.json.Decoder(Record).decode


class Bad(msgspec.Struct, frozen=True):
    """A stretch of input that could not be used: `offset` and `length` count decompressed bytes.

    Faults of the file itself, such as not_gzip, have `length` 0. `reason` is a stable code (archive/README.md).
    """

    file: str
    offset: int
    length: int
    reason: str
    sample: str


class HourReader:
    """Reads one hour file; `account` and `bad` grow while `batches` runs."""

    def __init__(self, path: Path, wanted: Collection[str] = WANTED) -> None:
        self.path, self.file, self.wanted = path, path.name, frozenset(wanted)
        self.account = Account()
        self.bad: list[Bad] = []
        # From 2015 on the type stands in the first bytes, a wanted one in the group. What does not match is decoded.
        self.head = re.compile(rb'\{"id":"\d+","type":"(?:(' + "|".join(wanted).encode() + rb')|\w+)"').match

    def batches(self) -> Iterator[list[Row]]:
        """Yield the rows in file order, a list for each block of the file."""
        position = 0
        for data, start, stop in blocks(self._pieces()):
            yield self._lines(position - start, data, start, stop)
            position += stop - start

    def take_bad(self) -> list[Bad]:
        """Return what was quarantined since the last call."""
        taken, self.bad = self.bad, []
        return taken

    def _pieces(self) -> Iterator[bytes]:
        try:
            for piece in read_gzip(self.path):
                self.account.input_bytes += len(piece)
                yield piece
        except DamagedError as error:
            self.account.unread_bytes += error.unread
            self._quarantine(self.account.input_bytes, b"", error.reason)

    def _lines(self, origin: int, data: bytes, start: int, stop: int) -> list[Row]:
        """Return the rows of data[start:stop]; lines of other types are looked into together if they are just that."""
        rows: list[Row] = []
        view = memoryview(data)
        lines, others, count = self._sorted(data, start, stop)
        self.account.separator_bytes += len(lines) + count - (data[stop - 1 : stop] != b"\n")
        if not self._are_events(others, count):
            lines = [(*found.span(), False) for found in LINE.finditer(data, start, stop)]
        for first, end, wanted in lines:
            take = self._wanted if wanted else self._event
            try:
                take(origin + first, view[first:end], end - first, rows)
            except FAULTS:
                self._parts(origin + first, data[first:end], rows)
        return rows

    def _sorted(self, data: bytes, start: int, stop: int) -> tuple[list[Line], bytes, int]:
        """Return the lines to read one by one, then those that seem to be events of other types, and how many."""
        match, view, first, count = self.head, memoryview(data), start, 0
        lines, runs = [], []
        while start < stop:
            end = data.find(b"\n", start, stop)
            head = match(data, start, end) if end > start and data[end - 1] == CLOSING_BRACE else None
            if head and not head[1]:
                count += 1
                start = end + 1
                continue
            runs.append(view[first:start])
            lines.append((start, end if end >= 0 else stop, head is not None))
            first = start = end + 1 or stop
        runs.append(view[first:stop])
        return lines, b"".join(runs), count

    def _are_events(self, lines: bytes, count: int) -> bool:
        """Count lines that seem to be events of other types, if they are just that."""
        try:
            if len(decode_heads(lines)) != count:
                return False
        except FAULTS:
            return False
        self.account.other_events += count
        self.account.other_bytes += len(lines) - count
        return True

    def _event(self, offset: int, data: bytes | memoryview, size: int, rows: list[Row]) -> None:
        """Take in one event, `size` bytes of the file. Raises one of FAULTS, and then nothing was taken in."""
        if data[:1] != b"{" or data[-1:] != b"}":
            raise msgspec.ValidationError("white space around an object counts as such")
        head = self.head(data)
        if (head and head[1]) or decode_head(data).type in self.wanted:
            self._wanted(offset, data, size, rows)
            return
        self.account.other_events += 1
        self.account.other_bytes += size

    def _wanted(self, offset: int, data: bytes | memoryview, size: int, rows: list[Row]) -> None:
        """Take in one event that starts as one of a wanted type, as `_event` does."""
        record = decode_record(data)
        if record.type not in self.wanted:
            raise msgspec.ValidationError(f"a second type, {record.type[:40]!r}")
        rows.append(row_of(self.file, offset, record))
        self.account.events[record.type] += 1
        self.account.kept_bytes += size

    def _parts(self, offset: int, line: bytes, rows: list[Row]) -> None:
        """Take in the events of a line that is not just one, and quarantine what is none."""
        covered = 0
        for start, end, good in spans(line):
            covered += end - start
            if good:
                self._object(offset + start, line[start:end], rows)
            else:
                self._quarantine(offset + start, line[start:end], _fault(line[start:end]))
        self.account.separator_bytes += len(line) - covered

    def _object(self, offset: int, data: bytes, rows: list[Row]) -> None:
        """Take in one object, without the halves of surrogate pairs that some texts hold."""
        try:
            self._event(offset, ESCAPE.sub(_whole_pairs, data), len(data), rows)
        except FAULTS as error:
            self._quarantine(offset, data, "unexpected_shape", f"{error}: ")

    def _quarantine(self, offset: int, data: bytes, reason: str, message: str = "") -> None:
        self.account.quarantine[reason] += 1
        self.account.quarantined_bytes += len(data)
        beginning = data[: 4 * SAMPLE * LONGEST_ESCAPE].decode("utf-8", "replace")
        sample = message + ASCII_ESCAPE.sub(_plain, beginning)[: 4 * SAMPLE]  # long enough to know a secret that is cut
        self.bad.append(Bad(self.file, offset, len(data), reason, redact(sample).text[:SAMPLE]))


def _whole_pairs(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape[1] else escape[0]


def _plain(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def _fault(data: bytes) -> str:
    if not data.strip(b"\0"):
        return "nul_padding"
    return "torn_event" if EVENT_START.match(data[:SAMPLE].decode("latin-1")) else "not_json"
