"""Fetch one file into a part beside its place, going on where an earlier attempt or process stopped."""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import msgspec

from openswerl.web import GaveUp, Transient, Web

GONE = (404, 410)
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
MD5 = re.compile(r"\bmd5=([A-Za-z0-9+/]{22}==)")


class Origin(msgspec.Struct, frozen=True):
    """What a server says of a file; empty, or None, is unsaid."""

    etag: str = ""
    last_modified: str = ""
    bytes: int | None = None
    md5: str = ""

    @property
    def validator(self) -> str:
        """What If-Range takes: without one, a part cannot be known to be of the same file."""
        return self.last_modified if self.etag.startswith("W/") else self.etag or self.last_modified


def transfer(web: Web, path: str, part: Path, known: Origin, begin: Callable[[Origin], None]) -> Origin | None:
    """Make one attempt to complete `part`; None if the server has no such file.

    `known` is the origin of what `part` holds; `begin` is told the origin before the first byte of a new part is
    written. Raises Transient for what may pass, GaveUp for an answer that will not change.
    """
    start = part.stat().st_size if part.exists() and known.validator else 0
    headers = {"Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": known.validator}
    with web.open("GET", path, headers=headers) as response:
        if response.status_code in GONE:
            return None
        if response.status_code == 200:
            known = _origin(response)
            part.write_bytes(b"")
            begin(known)
            _append(response, part)
        elif response.status_code == 206:
            _check_range(response, part, start, known)
            _append(response, part)
        elif response.status_code != 416:
            raise GaveUp(f"status {response.status_code}")
        elif start != known.bytes:
            _restart(part, "the part is longer than the file")
    _verify(part, known)
    return known


def _check_range(response: httpx.Response, part: Path, start: int, known: Origin) -> None:
    found = CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    same = response.headers.get("etag", known.etag) == known.etag
    if not (found and int(found[1]) == start and found[2] in ("*", str(known.bytes)) and same):
        _restart(part, "the file changed")


def _append(response: httpx.Response, part: Path) -> None:
    with part.open("ab") as file:
        file.writelines(response.iter_raw())


def _origin(response: httpx.Response) -> Origin:
    headers = response.headers
    size = headers.get("content-length")
    digest = MD5.search(headers.get("x-goog-hash", ""))
    return Origin(
        headers.get("etag", ""),
        headers.get("last-modified", ""),
        int(size) if size is not None else None,
        base64.b64decode(digest[1]).hex() if digest else "",
    )


def _verify(part: Path, origin: Origin) -> None:
    size = part.stat().st_size
    if origin.bytes is not None and size < origin.bytes:
        raise Transient(f"the connection ended after {size} of {origin.bytes} bytes")
    if origin.bytes is not None and size > origin.bytes:
        _restart(part, f"{size} bytes came, not {origin.bytes}")
    if origin.md5 and file_digest(part, "md5") != origin.md5:
        _restart(part, "the bytes do not have the server's checksum")


def _restart(part: Path, why: str) -> None:
    part.unlink(missing_ok=True)
    raise Transient(f"{why}; starting anew", 0.0)


def file_digest(path: Path, algorithm: str = "sha256") -> str:
    """Return a file's checksum in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
