"""Cut an hour file into blocks of whole lines, and where a line is torn, into the JSON objects inside it."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

LONG_LINE = 1 << 20
MAX_LINE = 16 << 20
MAX_RESYNC = 1000
SPACE = re.compile(r"[ \t\r\n]*")
EVENT_START = re.compile(r'\{\s*"(?:id|type|actor|actor_attributes|repo|repository|payload|public|created_at|org|url)"')


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse)


def blocks(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """Yield the same bytes as (data, start, stop), cut behind line ends. Nothing long is copied.

    Files of 2011-2014 may have no newline at all, so a line that grows past 1 MiB is cut behind its last whole object;
    memory stays near 16 MiB whatever the file holds.
    """
    rest, limit = b"", LONG_LINE
    for piece in pieces:
        stop = piece.rfind(b"\n") + 1
        if stop:
            first = piece.find(b"\n") + 1 if rest else 0
            if first:
                yield rest + piece[:first], 0, len(rest) + first
            if first < stop:
                yield piece, first, stop
            rest, limit = piece[stop:], LONG_LINE
            continue
        rest += piece
        if len(rest) > limit:
            end = _settled(rest)
            if end:
                yield rest, 0, end
            rest = rest[end:]
            limit = min(MAX_LINE, max(LONG_LINE, 2 * len(rest)))
    if rest:
        yield rest, 0, len(rest)


def _settled(data: bytes) -> int:
    """Return the end of the last whole object of a long line; the end of the line if it is far too long."""
    if len(data) > MAX_LINE:
        return len(data)
    return max((end for _, end, good in spans(data) if good), default=0)


def spans(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, good) over a stretch: whole objects are good, what lies between is not; white space is left.

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
