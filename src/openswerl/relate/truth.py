"""What later commits say belongs together: the truth that predictors are measured against, and never shown."""

from collections.abc import Sequence

from openswerl.crawl.clone import Clone
from openswerl.records import PullRequest
from openswerl.relate.tree import changes

LATER_COMMITS = 20


def later_changes(pull: PullRequest, clone: Clone) -> list[frozenset[str]]:
    """Return the paths of the next 20 commits, oldest first, that change a file which the pull request changes.

    They are reachable from a branch or tag but not from the pull request's head or its merge commit, and committed
    after the merge. Merges are left out, and commits of more than 30 files. Raises GitError if git fails.
    """
    known = [sha for sha in (pull.head_sha, pull.merge_commit_sha) if sha and clone.commit(sha)]
    without = [option for sha in known for option in ("--not", sha, "--not")]
    revisions = ("--exclude=refs/pull/*", "--all", *without, f"--since={pull.merged_at}")
    paths = [file.path for file in pull.changed_files]
    found = changes(clone, "--reverse", "--full-diff", *revisions, paths=paths)
    return found[:LATER_COMMITS]


def truth(pull: PullRequest, clone: Clone, candidates: Sequence[str]) -> set[str]:
    """Return the candidates that later commits changed together with a changed file."""
    return set().union(*later_changes(pull, clone)).intersection(candidates)
