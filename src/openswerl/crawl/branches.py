"""Find what a pull request changed: the commits from where its branch left the base to its head.

Base and head are the event's. Where the clone lacks one of them, the merge commit tells, if it is certain.
"""

import re
from typing import NamedTuple

from openswerl.crawl.clone import Clone
from openswerl.crawl.differ import Diff
from openswerl.crawl.git import GitError, git
from openswerl.records import MergedPull

SHA = re.compile(r"[0-9a-f]{40}")
MAX_WALK = 250
COUNTS = ("changed_files", "additions", "deletions")


class Unusable(Exception):
    """A pull request that cannot be used; `reason` is a stable code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Branch(NamedTuple):
    """From a merge base to a head; `commits` are ids, oldest first. `flag` says what stands in for a lost commit."""

    merge_base: str
    head: str
    commits: list[str]
    flag: str = ""


def find_branch(pull: MergedPull, clone: Clone, limit: int) -> Branch:
    """Return the branch of a pull request; `limit` caps the bytes of a diff that decides between two readings.

    Raises Unusable: bad_sha, missing_commit, no_merge_base, ambiguous_merge. Raises GitError.
    """
    if not SHA.fullmatch(pull.base_sha) or not SHA.fullmatch(pull.head_sha):
        raise Unusable("bad_sha")
    has_base, has_head = (clone.commit(sha) is not None for sha in (pull.base_sha, pull.head_sha))
    if has_base and has_head:
        return _forked(clone, pull.base_sha, pull.head_sha)
    merge = clone.commit(pull.merge_commit_sha) if SHA.fullmatch(pull.merge_commit_sha) else None
    parents = merge.parents if merge else []
    found = _without_base(pull, clone, parents, limit) if has_head else _without_head(pull, clone, parents, limit)
    if found is None:
        raise Unusable("ambiguous_merge" if parents else "missing_commit")
    return found


def fork_point(clone: Clone, base: str, head: str) -> tuple[str, list[str]] | None:
    """Return the merge base and the commits from there to the head, oldest first; None if there is none."""
    line = _line(clone, base, head)
    if line is not None:
        return base, line
    try:
        found = git(clone.path, "merge-base", base, head).decode().strip()
    except GitError:
        return None
    listed = git(clone.path, "rev-list", "--reverse", "--topo-order", f"{found}..{head}")
    return found, listed.decode().split()


def counts_of(diff: Diff) -> dict[str, int]:
    """Return git's counts under the event's names."""
    return dict(zip(COUNTS, (len(diff.files), diff.additions, diff.deletions), strict=True))


def _forked(clone: Clone, base: str, head: str, flag: str = "") -> Branch:
    found = fork_point(clone, base, head)
    if found is None:
        raise Unusable("no_merge_base")
    return Branch(found[0], head, found[1], flag)


def _without_base(pull: MergedPull, clone: Clone, parents: list[str], limit: int) -> Branch | None:
    """The base is the merge's first parent, or as many commits below the head as the event counts."""
    if len(parents) == 2 and parents[1] == pull.head_sha:
        return _forked(clone, parents[0], pull.head_sha, "base_from_merge_commit")
    found = _below(clone, pull.head_sha, pull.commits or 0, "base_from_commit_count")
    return found if found and _confirmed(pull, clone, found, limit) else None


def _without_head(pull: MergedPull, clone: Clone, parents: list[str], limit: int) -> Branch | None:
    """The head is the merge's second parent, the squashed commit, or the last of the rebased commits.

    Squash and rebase look alike: unless there was one commit only, the event's counts have to confirm the reading.
    """
    merge, count = pull.merge_commit_sha, pull.commits or 0
    if len(parents) == 2:
        return _forked(clone, parents[0], parents[1], "head_from_merge_parent")
    if len(parents) != 1:
        return None
    squashed = Branch(parents[0], merge, [merge], "head_from_merge_commit")
    if count == 1 or _confirmed(pull, clone, squashed, limit):
        return squashed
    rebased = _below(clone, merge, count, "head_from_rebased_commits")
    return rebased if rebased and _confirmed(pull, clone, rebased, limit) else None


def _confirmed(pull: MergedPull, clone: Clone, branch: Branch, limit: int) -> bool:
    """Whether the event gives all three counts and git finds the same."""
    return counts_of(clone.diff(branch.merge_base, branch.head, limit)) == {
        name: getattr(pull, name) for name in COUNTS
    }


def _line(clone: Clone, base: str, head: str) -> list[str] | None:
    """Return the commits above `base` if they are a short line without merges, which saves two processes."""
    commits: list[str] = []
    while head != base:
        commit = clone.commit(head)
        if commit is None or len(commit.parents) != 1 or len(commits) == MAX_WALK:
            return None
        commits.append(head)
        head = commit.parents[0]
    return commits[::-1]


def _below(clone: Clone, head: str, count: int, flag: str) -> Branch | None:
    """Return the last `count` commits as a branch; None if they are no line, or there is nothing below them."""
    commits, tip = list[str](), head
    while len(commits) < min(count, MAX_WALK):
        commit = clone.commit(tip)
        if commit is None or len(commit.parents) != 1:
            return None
        commits.append(tip)
        tip = commit.parents[0]
    return Branch(tip, head, commits[::-1], flag) if commits and clone.commit(tip) else None
