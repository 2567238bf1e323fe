"""Ask GitHub for one pull request by REST, where GraphQL has no answer."""

import msgspec

from openswerl.crawl.github.graphql import refuse_token
from openswerl.crawl.github.state import GHOST, Answer, Candidate, PullState, found
from openswerl.web import GaveUp, Transient, Web

# Forbidden, and unavailable for legal reasons; a rate limit, which is 403 too, is told apart before.
REASONS = {404: "not_found", 410: "not_found", 403: "blocked", 451: "blocked"}


class User(msgspec.Struct):
    """An account."""

    login: str
    type: str = "User"


class Label(msgspec.Struct):
    """A label."""

    name: str


class Repository(msgspec.Struct):
    """The repository of a side."""

    id: int
    full_name: str
    fork: bool | None = None
    default_branch: str | None = None


class Side(msgspec.Struct):
    """Head or base; the head's repository may be gone."""

    sha: str
    ref: str
    repo: Repository | None


class Pull(msgspec.Struct):
    """A pull request; `merge_commit_sha` is a test merge unless it is merged."""

    title: str
    body: str | None
    user: User | None
    labels: list[Label]
    updated_at: str
    closed_at: str | None
    merged: bool
    merged_at: str | None
    merge_commit_sha: str | None
    base: Side
    head: Side
    commits: int
    additions: int
    deletions: int
    changed_files: int


def ask_one(web: Web, candidate: Candidate) -> Answer | None:
    """Return the answer, None if REST has none either. Raises GaveUp and UserError as `Web` does."""
    return web.attempt(f"REST for {candidate.repo}#{candidate.number}", lambda: _get(web, candidate))


def _get(web: Web, candidate: Candidate) -> Answer | None:
    with web.open("GET", f"/repos/{candidate.repo}/pulls/{candidate.number}") as response:
        body = response.read()
        refuse_token(response)
    if reason := REASONS.get(response.status_code):
        return Answer(None, reason)
    if response.status_code != 200:
        raise GaveUp(f"REST: status {response.status_code}")
    try:
        return found(candidate, _state(msgspec.json.decode(body, type=Pull)))
    except msgspec.MsgspecError as error:
        raise Transient(f"REST: {error}") from None


def _state(pull: Pull) -> PullState:
    user, base, head = pull.user or User(GHOST), pull.base.repo, pull.head.repo
    return PullState(
        repo_id=base.id if base else None,
        title=pull.title,
        body=pull.body or "",
        author=user.login,
        author_type=user.type,
        labels=[label.name for label in pull.labels],
        updated_at=pull.updated_at,
        closed_at=pull.closed_at,
        merged=pull.merged,
        merged_at=pull.merged_at,
        merge_commit_sha=pull.merge_commit_sha if pull.merged else None,
        base_sha=pull.base.sha,
        base_ref=pull.base.ref,
        default_branch=base.default_branch if base else None,
        fork=base.fork if base else None,
        head_sha=pull.head.sha,
        head_ref=pull.head.ref,
        head_repo=head.full_name if head else None,
        head_repo_id=head.id if head else None,
        commits=pull.commits,
        additions=pull.additions,
        deletions=pull.deletions,
        changed_files=pull.changed_files,
    )
