"""The patch id of `git patch-id --stable`: a diff without white space, line numbers and the order of its files."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from openswerl.curate.hunks import FileDiff

SPACE = b" \t\r\n"
BITS = 160


def patch_id(files: Sequence[FileDiff]) -> str:
    """Return the 40 hexadecimal digits that git prints, the digests of the parts added as little-endian numbers."""
    total = sum(int.from_bytes(part, "little") for part in _parts(files)) % (1 << BITS)
    return total.to_bytes(BITS // 8, "little").hex()


def file_ids(files: Iterable[FileDiff]) -> frozenset[bytes]:
    """Return the patch id of each file that has hunks, so that a patch can be found inside a larger one."""
    return frozenset(_digest(_text(file)) for file in files if file.hunks)


def _parts(files: Sequence[FileDiff]) -> Iterator[bytes]:
    """Yield what git adds up. A file without hunks counts with the next one, and what follows a binary has no title."""
    waiting: list[str] = []
    binary = False
    for file in files:
        waiting += _text(file)[binary:]
        binary = file.header[-1].startswith(("Binary files", "GIT binary patch"))
        if binary:
            waiting[-1:] = _blob_ids(file.header)
        if binary or file.hunks:
            yield _digest(waiting)
            waiting = []
    if waiting or binary or not files:
        yield _digest(waiting)


def _text(file: FileDiff) -> list[str]:
    lines = ["diff --git " + file.header[0], *(line for line in file.header[1:] if not line.startswith("index "))]
    for hunk in file.hunks:
        lines += [line for line in hunk.lines if line[:2] != "\\ "]
    return lines


def _blob_ids(header: list[str]) -> list[str]:
    """Return what stands for the content of a binary file."""
    ids = next((line[len("index ") :] for line in header if line.startswith("index ")), "..")
    return [ids.partition(" ")[0].replace("..", "")]


def _digest(lines: list[str]) -> bytes:
    return hashlib.sha1("".join(lines).encode("utf-8", "surrogatepass").translate(None, SPACE)).digest()
