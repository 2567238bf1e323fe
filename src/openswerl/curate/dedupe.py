"""One pull request per change: reverts go with what they revert, copies go but the first."""

import re
from collections.abc import Callable, Hashable, Sequence

from openswerl.curate.hunks import parse_hunks, patch_key
from openswerl.records import PullRequest

Reasons = list[str | None]
REVERTS = re.compile(r"\bReverts\s+(?P<repo>[\w.-]+/[\w.-]+)?#(?P<number>\d+)", re.IGNORECASE)
REVERT_TITLE = re.compile(r'\s*Revert\b[\s:]*(?:"(?P<title>.*)")?', re.IGNORECASE | re.DOTALL)


def reverts(pulls: Sequence[PullRequest]) -> Reasons:
    """Drop titles that start with Revert, and what they revert: "Reverts #n" in the body, else the quoted title."""
    numbers, titles = set(), set()
    for pull in pulls:
        if (title := REVERT_TITLE.match(pull.title)) is None:
            continue
        if named := REVERTS.search(pull.body):
            numbers.add(((named["repo"] or pull.repo).lower(), int(named["number"])))
        elif title["title"]:
            titles.add((pull.repo.lower(), title["title"]))
    return [_revert_reason(pull, numbers, titles) for pull in pulls]


def _revert_reason(pull: PullRequest, numbers: set[tuple[str, int]], titles: set[tuple[str, str]]) -> str | None:
    if REVERT_TITLE.match(pull.title):
        return "revert"
    repo = pull.repo.lower()
    return "reverted" if (repo, pull.number) in numbers or (repo, pull.title) in titles else None


def same_patch(pulls: Sequence[PullRequest]) -> Reasons:
    """Keep the earliest merged of those with one patch, in whatever repository: backports, cherry-picks, forks."""
    return _first_of_each(pulls, "same_patch", lambda pull: [patch_key(parse_hunks(pull.oracle_diff))])


def same_issue(pulls: Sequence[PullRequest]) -> Reasons:
    """Keep the earliest merged of those that link one issue."""
    return _first_of_each(
        pulls, "same_issue", lambda pull: [(issue.repo.lower(), issue.number) for issue in pull.issues]
    )


def _first_of_each(pulls: Sequence[PullRequest], reason: str, keys: Callable[[PullRequest], list[Hashable]]) -> Reasons:
    """Flag every pull request of which a kept one, merged before it, has a key."""
    seen: set[Hashable] = set()
    reasons: Reasons = [None] * len(pulls)
    for index in sorted(range(len(pulls)), key=lambda i: (pulls[i].merged_at, pulls[i].repo.lower(), pulls[i].number)):
        found = keys(pulls[index])
        if seen.isdisjoint(found):
            seen.update(found)
        else:
            reasons[index] = reason
    return reasons
