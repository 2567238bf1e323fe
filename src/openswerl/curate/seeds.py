"""The pull requests that RL starts from: a described bug, and a change that text edits can make (paper 2).

Each rule takes one pull request and says why it is no seed, or None.
"""

from collections.abc import Container
from pathlib import PurePosixPath

from omegaconf import DictConfig

from openswerl.crawl.join import REGULAR
from openswerl.records import PullRequest


def issue(pull: PullRequest, cfg: DictConfig) -> str | None:
    """At least one linked issue, with text (paper); `require_issue=false` lets the pull request speak for itself."""
    if not cfg.require_issue:
        return None
    if not pull.issues:
        return "no_linked_issue"
    return None if any(issue.title.strip() or issue.body.strip() for issue in pull.issues) else "no_issue_text"


def files(pull: PullRequest, cfg: DictConfig) -> str | None:
    """Few files, all of them code, edited or new."""
    if len(pull.changed_files) > cfg.max_seed_files:
        return "too_many_seed_files"
    if any(PurePosixPath(file.path).suffix not in cfg.code_suffixes for file in pull.changed_files):
        return "not_code"
    if all(file.status == "A" for file in pull.changed_files):
        return "only_new_files"
    return None


def expressible(pull: PullRequest, text_blobs: Container[str]) -> str | None:
    """Only what SEARCH/REPLACE edits can say: no removal or rename, no change of mode or type, text on both sides."""
    for file in pull.changed_files:
        if file.status == "D":
            return "removes_a_file"
        modes = [file.new_mode] if file.status == "A" else [file.old_mode, file.new_mode]
        if not set(modes) <= set(REGULAR) or modes[0] != modes[-1]:
            return "mode_or_type_change"
        if any(blob and blob not in text_blobs for blob in (file.old_blob, file.new_blob)):
            return "not_text"
    return None
