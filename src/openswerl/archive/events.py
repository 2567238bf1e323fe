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
        """Return the rows of data[start:stop]; adjacent lines of other types are looked into together."""
        rows: list[Row] = []
        first, others = start, 0
        while start < stop:
            end = data.find(b"\n", start, stop)
            head = self.head(data, start, end) if end > start else None
            if head and not head[1] and data[end - 1] == CLOSING_BRACE:
                others += 1
                start = end + 1
                continue
            self._others(origin + first, data[first:start], others, rows)
            self._line(origin + start, data[start : end + 1 or stop], rows)
            first = start = end + 1 or stop
            others = 0
        self._others(origin + first, data[first:stop], others, rows)
        return rows

    def _others(self, offset: int, lines: bytes, count: int, rows: list[Row]) -> None:
        """Count lines that seem to be events of other types; one by one if they are not just that."""
        account = self.account
        try:
            if len(decode_heads(lines)) == count:
                account.other_events += count
                account.other_bytes += len(lines) - count
                account.separator_bytes += count
                return
        except FAULTS:
            pass
        for line in lines.split(b"\n")[:-1]:
            self._line(offset, line + b"\n", rows)
            offset += len(line) + 1

    def _line(self, offset: int, line: bytes, rows: list[Row]) -> None:
        """Take in a line, its end included. One that is not just an event is taken apart."""
        data = line.removesuffix(b"\n")
        self.account.separator_bytes += len(line) - len(data)
        try:
            self._event(offset, data, len(data), rows)
        except FAULTS:
            self._parts(offset, data, rows)

    def _event(self, offset: int, data: bytes, size: int, rows: list[Row]) -> None:
        """Take in one event, `size` bytes of the file. Raises one of FAULTS, and then nothing was taken in."""
        account = self.account
        if data[:1] != b"{" or data[-1:] != b"}":
            raise msgspec.ValidationError("white space around an object counts as such")
        head = self.head(data)
        if not (head and head[1]) and decode_head(data).type not in self.wanted:
            account.other_events += 1
            account.other_bytes += size
            return
        record = decode_record(data)
        if record.type not in self.wanted:
            raise msgspec.ValidationError(f"a second type, {record.type[:40]!r}")
        rows.append(row_of(self.file, offset, record))
        account.events[record.type] += 1
        account.kept_bytes += size

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
