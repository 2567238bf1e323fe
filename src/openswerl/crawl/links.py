"""GitHub's closing keywords: which issues a pull request says that it closes (data of paper 2, appendix A)."""

import re
from typing import NamedTuple

NAME = r"[A-Za-z0-9-]+/[A-Za-z0-9_.-]+"
KEYWORDS = r"close[sd]?|fix(?:e[sd])?|resolve[sd]?"
REFERENCE = re.compile(
    rf"""
    \b(?:{KEYWORDS})                                 # each reference needs a keyword of its own
    (?:[ \t]*:[ \t]*|[ \t]+)
    (?:
        (?P<qualified>{NAME})?\#(?P<number>[0-9]+)
        | gh-(?P<gh_number>[0-9]+)
        | https?://(?:www\.)?github\.com/(?P<url>{NAME})/issues/(?P<url_number>[0-9]+)
    )
    (?!\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What GitHub does not render as text: comments (templates are full of them), fenced code, code in a line.
UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)"
    r"|(?<!`)(?P<ticks>`++)(?:(?!\n[ \t\r]*\n).){0,2000}?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)
MAX_NUMBER = 1 << 31


class Reference(NamedTuple):
    """An issue, or what looks like one; `link` says how it is named: number, qualified, url, or gh (GH-1)."""

    repo: str
    number: int
    link: str


def closing_references(text: str, repo: str) -> list[Reference]:
    """Return the issues that a text closes, in order, each once; `repo` is owner/name for a bare #n.

    Keywords in HTML comments and in code are not read, as on GitHub.
    """
    found: dict[tuple[str, int], Reference] = {}
    for match in REFERENCE.finditer(UNSEEN.sub("\n", text)):
        reference = _reference(match, repo)
        if 0 < reference.number < MAX_NUMBER:
            found.setdefault((reference.repo.lower(), reference.number), reference)
    return list(found.values())


def _reference(match: re.Match[str], repo: str) -> Reference:
    if match["url"]:
        return Reference(match["url"], int(match["url_number"]), "url")
    if match["gh_number"]:
        return Reference(repo, int(match["gh_number"]), "gh")
    return Reference(match["qualified"] or repo, int(match["number"]), "qualified" if match["qualified"] else "number")
