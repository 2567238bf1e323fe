"""Merged pull requests as the aggregation leaves them, joined with real mirrors."""

from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from crawl.world import Work
from openswerl.crawl.clone import Clone
from openswerl.crawl.join import Joined, join
from openswerl.records import MergedPull

LIMITS = OmegaConf.create({"max_blob_bytes": 1 << 20, "max_diff_bytes": 16 << 20})
UNKNOWN = dict.fromkeys(("repo_id", "fork", "head_repo_id", "commits", "additions", "deletions", "changed_files"))
EMPTY = dict.fromkeys(("author", "author_type", "merged_at", "default_branch", "head_repo", "merge_commit_sha"), "")


def merged_pull(base: str, head: str, **fields: Any) -> MergedPull:
    """Return a merged pull request a/b#1; counts are unknown unless given."""
    known = {
        "file": "h.json.gz",
        "offset": 7,
        "repo": "a/b",
        "number": 1,
        "title": "T",
        "body": "B",
        "base_ref": "main",
    }
    lists: dict[str, Any] = {"labels": [], "issues": [], "conversation": [], "flags": []}
    return MergedPull(**{**UNKNOWN, **EMPTY, **known, **lists, "base_sha": base, "head_sha": head} | fields)


def mirror(work: Work, *commits: str) -> Path:
    """Return a mirror in which commits are reachable from refs/pull alone."""
    for number, commit in enumerate(commits):
        work.git("update-ref", f"refs/pull/{number}/head", commit)
    return work.mirror(work.folder.parent / "clones" / "a__b.git")


def join_mirror(work: Work, base: str, head: str, **fields: Any) -> Joined:
    """Join a/b#1 with a mirror that has base and head."""
    with Clone(mirror(work, base, head)) as clone:
        return join(merged_pull(base, head, **fields), clone, LIMITS)
