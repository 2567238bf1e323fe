"""Join a merged pull request with its clone: merge base, changed files, contents and the oracle diff (appendix A)."""

import hashlib
import re
from dataclasses import dataclass

from openswerl.crawl.clone import Clone, Content
from openswerl.crawl.differ import Diff
from openswerl.crawl.events import Event
from openswerl.crawl.git import GitError
from openswerl.crawl.shapes import Pull, User
from openswerl.records import Issue, PullRequest

SHA = re.compile(r"[0-9a-f]{40}")
REGULAR = ("100644", "100755")
WITH_CONTENT = (*REGULAR, "120000")
COUNTS = ("changed_files", "additions", "deletions", "commits")


class Unusable(Exception):
    """A pull request that cannot be used; `reason` is a stable code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Joined:
    """A pull request, the contents of its files by blob, and the counts of its event that git does not confirm."""

    event: Event
    pull_request: PullRequest
    contents: dict[str, Content]
    mismatches: list[str]


def join(event: Event, issues: list[Issue], clone: Clone) -> Joined:
    """Return the joined record.

    Raises Unusable: bad_sha, missing_commit, no_merge_base, missing_object, diff_too_large, non_utf8_path, git_failed.
    """
    pull = event.pull
    if not pull or not SHA.fullmatch(pull.base.sha) or not SHA.fullmatch(pull.head.sha):
        raise Unusable("bad_sha")
    try:
        if not clone.commit(pull.base.sha) or not clone.commit(pull.head.sha):
            raise Unusable("missing_commit")
        fork_point = clone.fork_point(pull.base.sha, pull.head.sha)
        if fork_point is None:
            raise Unusable("no_merge_base")
        diff = clone.diff(fork_point[0], pull.head.sha)
        contents = {blob: clone.content(blob) for blob in _blobs(diff)}
    except GitError as error:
        raise Unusable(error.reason) from None
    except UnicodeDecodeError:
        raise Unusable("non_utf8_path") from None
    record = _record(event, pull, issues, fork_point[0], diff)
    return Joined(event, record, contents, _mismatches(pull, diff, fork_point[1]))


def _blobs(diff: Diff) -> list[str]:
    """Return the blobs on both sides; a submodule's id names a commit of another repository."""
    sides = [side for file in diff.files for side in ((file.old_mode, file.old_blob), (file.new_mode, file.new_blob))]
    return sorted({blob for mode, blob in sides if blob and mode in WITH_CONTENT})


def _mismatches(pull: Pull, diff: Diff, commits: int) -> list[str]:
    """Compare git's counts with the event's: they agree unless the wrong trees were compared."""
    ours = dict(zip(COUNTS, (len(diff.files), diff.additions, diff.deletions, commits), strict=True))
    theirs = {name: getattr(pull, name) for name in COUNTS}
    return [
        f"{name}: {theirs[name]} in the event, {ours[name]} in git"
        for name in COUNTS
        if theirs[name] is not None and theirs[name] != ours[name]
    ]


def _record(event: Event, pull: Pull, issues: list[Issue], merge_base: str, diff: Diff) -> PullRequest:
    user = pull.user or User()
    return PullRequest(
        repo=event.repo,
        number=pull.number,
        title=pull.title or "",
        body=pull.body or "",
        author=user.login,
        author_type=user.type,
        base_ref=pull.base.ref or "",
        base_sha=pull.base.sha,
        head_sha=pull.head.sha,
        merge_base=merge_base,
        merged_at=pull.merged_at or event.created_at,
        issues=issues,
        changed_files=diff.files,
        additions=diff.additions,
        deletions=diff.deletions,
        oracle_diff=diff.patch.decode("utf-8", "replace"),
        oracle_diff_sha256=hashlib.sha256(diff.patch).hexdigest(),
    )
