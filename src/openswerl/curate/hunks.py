"""Take the text of a git diff apart into hunks."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADER = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
SPACE = re.compile(r"\s+")


class Hunk(NamedTuple):
    """One hunk: the file's path as the diff prints it, without a/ and b/, and the lines with their signs."""

    path: str
    lines: list[str]

    def changed(self, sign: str) -> list[str]:
        """Return the lines that carry a sign, without it."""
        return [line[1:] for line in self.lines if line.startswith(sign)]


def parse_hunks(diff: str) -> list[Hunk]:
    """Return the hunks in order; binary files, mode changes and empty files have none.

    A hunk ends where its header's counts are used up, so that text that looks like a header is no header.
    """
    return list(_hunks(diff.split("\n")))


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    path, position = "", 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if header := HEADER.match(line):
            end = _end(lines, position, int(header[1] or 1), int(header[2] or 1))
            yield Hunk(path, lines[position:end])
            position = end
        elif line.startswith(("--- a/", '--- "a/', "+++ b/", '+++ "b/')):
            path = line[4:].strip('"\t')[2:]


def _end(lines: list[str], position: int, old: int, new: int) -> int:
    while position < len(lines) and (old > 0 or new > 0 or lines[position].startswith("\\")):
        sign = lines[position][:1]
        old -= sign in (" ", "-", "")
        new -= sign in (" ", "+", "")
        position += 1
    return position


def patch_key(hunks: Sequence[Hunk]) -> str:
    """Return a hash over paths and hunk bodies without line numbers and white space, as a patch id has it."""
    digest = hashlib.sha256()
    for hunk in hunks:
        for line in (hunk.path, *hunk.lines):
            digest.update(line[:1].encode() + SPACE.sub("", line[1:]).encode() + b"\n")
    return digest.hexdigest()
