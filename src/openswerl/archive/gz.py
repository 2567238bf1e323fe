"""Read gzip as far as it is good: hour files are sometimes cut off, padded, damaged, or no gzip at all."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isal import igzip_lib, isal_zlib

CHUNK = 1 << 16  # about 400 KiB decompressed, which stay in the cache until they are parsed
SALVAGE_CHUNK = 64
MAGIC = b"\x1f\x8b"
GZIP = 31


class DamagedError(Exception):
    """The file cannot be read further; `reason` is a stable code, `unread` the bytes of the file that were no use."""

    def __init__(self, reason: str, unread: int) -> None:
        super().__init__(reason)
        self.reason, self.unread = reason, unread


def read_gzip(path: Path) -> Iterator[bytes]:
    """Yield the decompressed bytes in pieces.

    Raises DamagedError after the last good byte: empty_file, not_gzip, truncated_gzip, corrupt_gzip, nul_padding,
    unreadable.
    """
    delivered = 0
    try:
        for piece in _inflate(path, isal_zlib.decompressobj, CHUNK):
            delivered += len(piece)
            yield piece
    except igzip_lib.IsalError:  # type: ignore[misc]
        yield from _salvage(path, delivered)
    except OSError:
        raise DamagedError("unreadable", 0) from None


def _salvage(path: Path, delivered: int) -> Iterator[bytes]:
    """Yield what a fast reader drops with the chunk that holds the fault, then raise."""
    position = used = 0
    try:
        for piece in _inflate(path, zlib.decompressobj, SALVAGE_CHUNK):
            yield piece[max(0, delivered - position) :]
            position += len(piece)
            used += SALVAGE_CHUNK
    except zlib.error:
        pass
    raise DamagedError("corrupt_gzip", max(0, path.stat().st_size - used))


def _inflate(path: Path, new_stream: Callable[..., Any], chunk: int) -> Iterator[bytes]:
    """Yield the members of a gzip file one after the other; NULs after a member are padding."""
    with path.open("rb", buffering=0) as file:
        _check_magic(file.read(2), path)
        file.seek(0)
        stream, padding = new_stream(wbits=GZIP), 0
        while data := file.read(chunk):
            while data:
                if stream.eof:
                    rest = data.lstrip(b"\0")
                    padding, data = padding + len(data) - len(rest), rest
                    if not data:
                        break
                    stream = new_stream(wbits=GZIP)
                yield stream.decompress(data)
                data = stream.unused_data
    if not stream.eof:
        raise DamagedError("truncated_gzip", 0)
    if padding:
        raise DamagedError("nul_padding", padding)


def _check_magic(start: bytes, path: Path) -> None:
    if start != MAGIC:
        raise DamagedError("not_gzip" if start else "empty_file", path.stat().st_size)
