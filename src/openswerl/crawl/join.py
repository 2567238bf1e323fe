"""Join a merged pull request with its clone: merge base, changed files, contents and the oracle diff (appendix A)."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import structs
from omegaconf import DictConfig

from openswerl.crawl.branches import MAX_WALK, Branch, Unusable, counts_of, find_branch
from openswerl.crawl.clone import Clone
from openswerl.crawl.contents import REGULAR, SYMLINK, Content, outcome
from openswerl.crawl.differ import Diff
from openswerl.crawl.git import GitError
from openswerl.crawl.licence import licence
from openswerl.crawl.patches import redact_patch
from openswerl.records import Blob, ChangedFile, Commit, MergedPull, PullRequest
from openswerl.redact import redact

__all__ = ["REGULAR", "Joined", "Unusable", "join"]
FROM_GIT = {"head_sha", "commits", "additions", "deletions", "changed_files", "flags"}
FROM_EVENT = [name for name in MergedPull.__struct_fields__ if name not in FROM_GIT]


class Joined(NamedTuple):
    """A pull request and the contents of both sides of its files, by blob id."""

    pull_request: PullRequest
    blobs: list[Blob]


def join(pull: MergedPull, clone: Clone, limits: DictConfig) -> Joined:
    """Return the joined record; `limits` has max_blob_bytes and max_diff_bytes.

    Raises Unusable: bad_sha, missing_commit, ambiguous_merge, no_merge_base, missing_object, diff_too_large,
    non_utf8_path, personal_path, git_failed.
    """
    try:
        branch = find_branch(pull, clone, limits.max_diff_bytes)
        diff = clone.diff(branch.merge_base, branch.head, limits.max_diff_bytes)
        if any(redact(file.path).text != file.path for file in diff.files):
            raise Unusable("personal_path")
        contents = {blob: clone.content(blob, limits.max_blob_bytes) for blob in _blobs(diff)}
        record = _record(pull, branch, diff, contents, clone)
    except GitError as error:
        raise Unusable(error.reason) from None
    except UnicodeDecodeError:
        raise Unusable("non_utf8_path") from None
    return Joined(record, [_blob(sha, content) for sha, content in contents.items()])


def _blobs(diff: Diff) -> list[str]:
    """Return the blobs on both sides; a submodule's id names a commit of another repository."""
    sides = [side for file in diff.files for side in ((file.old_mode, file.old_blob), (file.new_mode, file.new_blob))]
    return sorted({blob for mode, blob in sides if blob and mode in (*REGULAR, SYMLINK)})


def _blob(sha: str, content: Content) -> Blob:
    return Blob(sha, content.text, content.sha256, content.size, content.reason, content.redactions)


def _record(pull: MergedPull, branch: Branch, diff: Diff, contents: Mapping[str, Content], clone: Clone) -> PullRequest:
    base = clone.commit(branch.merge_base)
    withheld = {blob for blob, content in contents.items() if content.reason == "private_key"}
    return PullRequest(
        **{name: getattr(pull, name) for name in FROM_EVENT},
        head_sha=branch.head,
        merge_base=branch.merge_base,
        commits=_commits(branch, clone),
        changed_files=_changed_files(branch, diff, contents, clone),
        additions=diff.additions,
        deletions=diff.deletions,
        oracle_diff=redact_patch(diff.patch.decode("utf-8", "replace"), withheld),
        oracle_diff_sha256=hashlib.sha256(diff.patch).hexdigest(),
        licence=licence(clone, base.tree) if base else "",
        flags=[*pull.flags, *_flags(pull, branch, diff)],
    )


def _commits(branch: Branch, clone: Clone) -> list[Commit]:
    """Return the intermediate commits, oldest first; the first 250 of many."""
    found = ((sha, clone.commit(sha)) for sha in branch.commits[:MAX_WALK])
    return [Commit(sha, commit.message) for sha, commit in found if commit]


def _changed_files(branch: Branch, diff: Diff, contents: Mapping[str, Content], clone: Clone) -> list[ChangedFile]:
    """Add what became of each file, and where git finds it to have been before."""
    moves = {"A", "D"} <= {file.status for file in diff.files}
    renames = clone.renames(branch.merge_base, branch.head) if moves else {}
    return [
        structs.replace(file, outcome=outcome(file, contents), renamed_from=renames.get(file.path))
        for file in diff.files
    ]


def _flags(pull: MergedPull, branch: Branch, diff: Diff) -> list[str]:
    """Say which commit was found otherwise, and which counts of the event git does not confirm.

    A squashed commit says nothing of how many there were.
    """
    ours = counts_of(diff) | ({} if branch.flag == "head_from_merge_commit" else {"commits": len(branch.commits)})
    theirs = {name: getattr(pull, name) for name in ours}
    wrong = [f"count_mismatch:{name}" for name in ours if theirs[name] not in (None, ours[name])]
    cut = ["commits_truncated"] if len(branch.commits) > MAX_WALK else []
    return [*filter(None, [branch.flag]), *wrong, *cut]
