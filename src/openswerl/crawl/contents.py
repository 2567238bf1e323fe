"""What of a blob may be stored: its text, redacted line by line, or the reason why there is none."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from openswerl.crawl.objects import Object
from openswerl.records import ChangedFile
from openswerl.redact import private_key, redact_lines

REGULAR = ("100644", "100755")
SYMLINK, SUBMODULE = "120000", "160000"
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
LONGEST_POINTER = 1024


class Content(NamedTuple):
    """A blob as redacted text; `text` is None with a `reason`: see crawl/README.md.

    `sha256` and `size` are of git's own bytes; `redactions` counts what was replaced.
    """

    text: str | None
    reason: str
    sha256: str = ""
    size: int = 0
    redactions: int = 0


def content_of(blob: Object | None) -> Content:
    """Return a blob's content; reasons: missing_blob, too_large, and those of `as_text`."""
    if blob is None:
        return Content(None, "missing_blob")
    found = as_text(blob.data) if blob.whole else Content(None, "too_large")
    sha256 = blob.sha256 or hashlib.sha256(blob.data).hexdigest()
    if found.text is None:
        return found._replace(sha256=sha256, size=blob.size)
    redacted = redact_lines(found.text)
    return Content(redacted.text, "", sha256, blob.size, redacted.emails + redacted.secrets)


def as_text(data: bytes) -> Content:
    """Decode strict UTF-8, line ends as they are; else the reason: binary (a NUL), private_key, lfs_pointer, not_utf8.

    Nothing is redacted here.
    """
    if b"\0" in data:
        return Content(None, "binary")
    if private_key(data.decode("latin-1")):
        return Content(None, "private_key")
    if data.startswith(LFS_POINTER) and len(data) <= LONGEST_POINTER:
        return Content(None, "lfs_pointer")
    try:
        return Content(data.decode("utf-8"), "")
    except UnicodeDecodeError:
        return Content(None, "not_utf8")


def outcome(file: ChangedFile, contents: Mapping[str, Content]) -> str:
    """Return what can be done with a changed file: text, or why its text is no use (crawl/README.md)."""
    modes = (file.old_mode, file.new_mode)
    if SUBMODULE in modes or SYMLINK in modes:
        return "submodule" if SUBMODULE in modes else "symlink"
    sides = [contents[blob] for blob in (file.old_blob, file.new_blob) if blob]
    if reason := next((side.reason for side in sides if side.reason), ""):
        return reason
    if file.old_blob == file.new_blob:
        return "mode_only"
    return "text" if any(side.text for side in sides) else "empty"
