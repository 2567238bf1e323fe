"""What is asked of GitHub about a pull request, and what it answers, whichever way it was asked."""

from typing import Any

import msgspec

from openswerl.redact import redact

# The fields of a state that people write.
TEXTS = ("title", "body", "author", "base_ref", "default_branch", "head_ref", "head_repo")
# What GitHub shows in the place of an account that was deleted.
GHOST = "ghost"


class Candidate(msgspec.Struct, frozen=True):
    """A pull request that an event says is closed, and not whether merged. `updated_at`: when the event was."""

    repo: str
    repo_id: int | None
    number: int
    updated_at: str
    base_sha: str
    head_sha: str


class PullState(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request as GitHub has it now; the fields are columns of an hour, but for `closed_at`."""

    repo_id: int | None
    title: str
    body: str
    author: str
    author_type: str
    labels: list[str]
    updated_at: str
    closed_at: str | None
    merged: bool
    merged_at: str | None
    merge_commit_sha: str | None
    base_sha: str
    base_ref: str
    default_branch: str | None
    fork: bool | None
    head_sha: str
    head_ref: str
    head_repo: str | None
    head_repo_id: int | None
    commits: int | None
    additions: int | None
    deletions: int | None
    changed_files: int | None


class Answer(msgspec.Struct, frozen=True):
    """GitHub's word on a candidate: a state, else why there is none: not_found, blocked, other_repository.

    `emails` and `secrets` count what was redacted.
    """

    state: PullState | None
    reason: str = ""
    emails: int = 0
    secrets: int = 0


def found(candidate: Candidate, state: PullState) -> Answer:
    """Return the answer without addresses and secrets; other_repository if the name now belongs to another one."""
    if None not in (candidate.repo_id, state.repo_id) and state.repo_id != candidate.repo_id:
        return Answer(None, "other_repository")
    texts = {name: redact(getattr(state, name)) for name in TEXTS if getattr(state, name)}
    labels = [redact(label) for label in state.labels]
    fields = {name: text.text for name, text in texts.items()} | {"labels": [label.text for label in labels]}
    every = [*texts.values(), *labels]
    clean = msgspec.structs.replace(state, **fields)
    return Answer(clean, "", sum(text.emails for text in every), sum(text.secrets for text in every))


def event_row(candidate: Candidate, state: PullState, offset: int) -> dict[str, Any]:
    """Return an hour's row: the event that GH Archive would have held before October 2025.

    The SHAs are those of the event where it has them: it was made at the close, the state later.
    """
    fields = msgspec.structs.asdict(state)
    closed_at = fields.pop("closed_at")
    return fields | {
        "file": "github-api",
        "offset": offset,
        "event_id": "",
        "type": "PullRequestEvent",
        "action": "closed",
        "created_at": state.merged_at or closed_at or candidate.updated_at,
        "repo": candidate.repo,
        "actor": "",
        "number": candidate.number,
        "is_pull": True,
        "base_sha": candidate.base_sha or state.base_sha,
        "head_sha": candidate.head_sha or state.head_sha,
    }
