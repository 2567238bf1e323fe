"""GitHub's closing keywords: which issues a pull request says that it closes."""

import re
from typing import NamedTuple

NAME = r"[A-Za-z0-9-]+/[A-Za-z0-9_.-]+"
REFERENCE = re.compile(
    rf"""
    \b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)      # each reference needs a keyword of its own
    (?:[ \t]*:[ \t]*|[ \t]+)
    (?:
        (?P<repo>{NAME})?\#(?P<number>[0-9]+)
        | https?://(?:www\.)?github\.com/(?P<url_repo>{NAME})/issues/(?P<url_number>[0-9]+)
    )
    (?!\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
MAX_NUMBER = 1 << 31


class Reference(NamedTuple):
    """An issue, or what looks like one."""

    repo: str
    number: int


def closing_references(text: str, repo: str) -> list[Reference]:
    """Return the issues that a text closes, in order, each once; `repo` is owner/name for a bare #n."""
    found = []
    for match in REFERENCE.finditer(text):
        number = int(match["number"] or match["url_number"])
        if 0 < number < MAX_NUMBER:
            found.append(Reference(match["repo"] or match["url_repo"] or repo, number))
    return list(dict.fromkeys(found))
