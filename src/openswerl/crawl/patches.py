"""A diff as it may be stored: redacted as the contents of its files are, so that it still fits them."""

import re
from collections.abc import Set
from itertools import pairwise

from openswerl.redact import private_key, redact_lines
from openswerl.secret_formats import suspicious

SECTION = re.compile(r"^diff --git ", re.MULTILINE)
INDEX = re.compile(r"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
HUNK = re.compile(r"^@@ ", re.MULTILINE)
# Git cuts the heading after 80 bytes, which may leave half an address or secret.
HEADING = re.compile(r"^(@@ [^@\n]+ @@) (.+)$", re.MULTILINE)
NEARLY_ADDRESS = re.compile(r"\w(?:@|%40)")


def redact_patch(patch: str, withheld: Set[str]) -> str:
    """Redact each line by itself. Hunks of files with a private key, or of a `withheld` blob, are left out."""
    starts = [match.start() for match in SECTION.finditer(patch)]
    sections = [_section(patch[start:end], withheld) for start, end in pairwise([*starts, len(patch)])]
    return redact_lines("".join(sections)).text


def _section(text: str, withheld: Set[str]) -> str:
    hunk, index = HUNK.search(text), INDEX.search(text)
    if hunk is None:
        return text
    if private_key(text) or (index and not withheld.isdisjoint(index.groups())):
        return text[: hunk.start()]
    return HEADING.sub(lambda match: match[1] if _doubtful(match[2]) else match[0], text)


def _doubtful(heading: str) -> bool:
    return suspicious(heading) or NEARLY_ADDRESS.search(heading) is not None
