"""Typed records that pass between stages, stored by `openswerl.parquet`.

Gold data (patches, test names, new contents) live in records of their own kind. Whatever builds a prompt takes a
`Task`, which has no gold field.
"""

import hashlib
import random
from collections.abc import Sequence

import msgspec


class SourceFile(msgspec.Struct, frozen=True):
    """One text file at one commit."""

    path: str
    content: str


class ChangedFile(msgspec.Struct, frozen=True):
    """One file of a pull request's diff (no renames); blobs are git object ids, None where the side does not exist.

    `outcome` says what can be done with it: text, or why not (crawl/README.md). `renamed_from` is the path that git's
    rename detection pairs a new file with; that path has a row of its own.
    """

    path: str
    status: str
    old_mode: str
    new_mode: str
    old_blob: str | None
    new_blob: str | None
    outcome: str = "text"
    renamed_from: str | None = None


class Issue(msgspec.Struct, frozen=True):
    """A linked issue; texts are empty where the archive does not hold them.

    `link` is how the pull request names it: number (#1), qualified (owner/repo#1), url, or gh (GH-1).
    """

    repo: str
    number: int
    title: str
    body: str
    labels: list[str] = []
    link: str = "number"


class Comment(msgspec.Struct, frozen=True):
    """One contribution to a conversation; `kind` is comment, review or review_comment, which alone has a `path`."""

    kind: str
    author: str
    author_type: str
    created_at: str
    path: str
    body: str


class Commit(msgspec.Struct, frozen=True):
    """An intermediate commit of a pull request; the message is redacted."""

    sha: str
    message: str


class MergedPull(msgspec.Struct, frozen=True, kw_only=True):
    """What the archive says of a merged pull request: its last state at or before the merge, and the conversation.

    `file` and `offset` name the event behind it. `fork`: the repository is a fork; None is unknown. The counts are the
    event's own. `flags`: what a reader should know (crawl/README.md).
    """

    file: str
    offset: int
    repo: str
    repo_id: int | None
    fork: bool | None
    number: int
    title: str
    body: str
    author: str
    author_type: str
    merged_at: str
    base_ref: str
    default_branch: str
    base_sha: str
    head_sha: str
    head_repo: str
    head_repo_id: int | None
    merge_commit_sha: str
    labels: list[str]
    issues: list[Issue]
    conversation: list[Comment]
    flags: list[str]
    commits: int | None
    additions: int | None
    deletions: int | None
    changed_files: int | None


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A merged pull request, joined with git (paper 2, appendix A). Counts and files are git's.

    `licence` is the SPDX id of the licence file at the merge base, empty if there is none or it is not recognised.
    `oracle_diff` is redacted line by line; the sha256 is of git's own bytes. `file` and `offset` name the event.
    """

    repo: str
    repo_id: int | None = None
    fork: bool | None = None
    number: int
    title: str
    body: str
    author: str
    author_type: str
    merged_at: str
    base_ref: str
    default_branch: str = ""
    base_sha: str
    head_sha: str
    head_repo: str = ""
    head_repo_id: int | None = None
    merge_commit_sha: str = ""
    merge_base: str
    labels: list[str] = []
    issues: list[Issue]
    conversation: list[Comment] = []
    commits: list[Commit] = []
    changed_files: list[ChangedFile]
    additions: int
    deletions: int
    oracle_diff: str
    oracle_diff_sha256: str
    licence: str = ""
    flags: list[str] = []
    file: str = ""
    offset: int = 0


class Blob(msgspec.Struct, frozen=True):
    """The content of one git blob, redacted; None with a `reason` where it is no text that may be stored.

    `sha256` and `size` are of git's own bytes; `redactions` counts what was replaced.
    """

    sha: str
    content: str | None
    sha256: str = ""
    size: int = 0
    reason: str = ""
    redactions: int = 0


class Task(msgspec.Struct, frozen=True):
    """All that a prompt may show: the problem and the files. Holds no gold data."""

    instance_id: str
    problem_statement: str
    files: list[SourceFile]

    @property
    def context(self) -> dict[str, str]:
        """Path to content."""
        return {file.path: file.content for file in self.files}


class Provenance(msgspec.Struct, frozen=True):
    """Where an instance comes from: the event of the archive, and the commits of the pull request."""

    file: str = ""
    offset: int = 0
    head_commit: str = ""
    merged_at: str = ""


class Instance(msgspec.Struct, frozen=True):
    """One RL-ready training instance (paper 2.1): context, and the oracle that only reward and SFT data may see."""

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    changed_files: list[SourceFile]
    related_unchanged_files: list[SourceFile]
    oracle_new_content: list[SourceFile]
    golden_patch: str
    number: int = 0
    links: list[str] = []
    language: str = ""
    licence: str = ""
    provenance: Provenance = Provenance()

    @property
    def task(self) -> Task:
        """The prompt's view. Files are shuffled by a hash of the id, so that position does not tell which change."""
        return make_task(self.instance_id, self.problem_statement, self.changed_files + self.related_unchanged_files)

    @property
    def oracle(self) -> dict[str, str]:
        """Path to new content of every changed file."""
        return {file.path: file.content for file in self.oracle_new_content}


def make_task(instance_id: str, problem_statement: str, files: Sequence[SourceFile]) -> Task:
    """Return a task with its files in an order that depends on nothing but the id."""
    order = sorted(files, key=lambda file: file.path)
    random.Random(hashlib.sha256(instance_id.encode()).digest()).shuffle(order)
    return Task(instance_id, problem_statement, order)
