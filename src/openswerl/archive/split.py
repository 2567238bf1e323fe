"""Cut an hour file into records: lines, and where a line is long or torn, the JSON objects inside it."""

import json
import re
from collections.abc import Iterable, Iterator

LONG_LINE = 4 << 20
MAX_LINE = 64 << 20
MAX_RESYNC = 1000
SPACE = re.compile(r"\s*")
EVENT_START = re.compile(r'\{\s*"(?:id|type|actor|actor_attributes|repo|repository|payload|public|created_at|org|url)"')
DECODER = json.JSONDecoder()


def split_lines(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield (byte offset, line) without line ends.

    Files of 2011-2014 may have no newline at all, so a line that grows past 4 MiB is given out object by object as
    they complete; memory stays near 64 MiB whatever the file holds.
    """
    offset, rest, limit = 0, b"", LONG_LINE
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield offset, line
            offset += len(line) + 1
        if lines:
            limit = LONG_LINE
        if len(rest) > limit:
            end = 0
            for start, end in _whole(rest):
                yield offset + start, rest[start:end]
            offset, rest = offset + end, rest[end:]
            limit = max(LONG_LINE, 2 * len(rest))
    yield offset, rest


def _whole(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the complete objects at the head of a long line; all of a line that is far too long."""
    if len(data) > MAX_LINE:
        return iter([(0, len(data))])
    return _objects(data.decode("latin-1"), 0)


def spans(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, good) over a stretch without line ends: whole objects are good, what lies between is not.

    After a fault, reading resumes at the next text that decodes to a whole event; objects nested in one are none.
    """
    text = data.decode("latin-1")
    position = 0
    while True:
        for start, end in _objects(text, position):
            yield start, end, True
            position = end
        position = _skip(text, position)
        if position == len(text):
            return
        resume = _next_event(text, position + 1)
        yield position, resume, False
        position = resume


def _objects(text: str, position: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the objects that follow one another, up to the first fault."""
    while (start := _skip(text, position)) < len(text):
        try:
            found, position = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        if not isinstance(found, dict):
            return
        yield start, position


def _skip(text: str, position: int) -> int:
    found = SPACE.match(text, position)
    return found.end() if found else position


def _next_event(text: str, position: int) -> int:
    """Return where the next whole event starts, or the end; gives up after a thousand tries."""
    for tries, match in enumerate(EVENT_START.finditer(text, position)):
        if tries == MAX_RESYNC:
            break
        try:
            found, _ = DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if {"type", "created_at"} <= found.keys() and ("repo" in found or "repository" in found):
            return match.start()
    return len(text)
