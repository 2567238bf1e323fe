"""Ask GitHub for many pull requests with one GraphQL query."""

import json
from collections.abc import Sequence

import httpx
import msgspec

from openswerl.crawl.github.shapes import Author, Fault, Pull, RateLimit, Reply, Repository
from openswerl.crawl.github.state import GHOST, Answer, Candidate, PullState, found
from openswerl.errors import UserError
from openswerl.waits import advice, seconds_until
from openswerl.web import UNSAID_WAIT_S, GaveUp, Transient, Web

BATCH = 50
FIELDS = """
databaseId isFork defaultBranchRef { name }
pullRequest(number: %d) {
  title body merged mergedAt closedAt updatedAt mergeCommit { oid }
  author { login __typename } labels(first: 100) { nodes { name } }
  baseRefName baseRefOid headRefName headRefOid headRepository { databaseId nameWithOwner }
  commits { totalCount } additions deletions changedFiles
}"""


def ask(web: Web, batch: Sequence[Candidate]) -> list[Answer | None]:
    """Return an answer for each candidate, None where GraphQL has none. Raises GaveUp and UserError as `Web` does."""
    reply = web.attempt(f"GraphQL for {batch[0].repo}#{batch[0].number} and others", lambda: _post(web, _query(batch)))
    faults = {str(fault.path[0]): fault for fault in reversed(reply.errors) if fault.path}
    data = reply.data or {}
    return [_answer(one, data.get(f"c{place}"), faults.get(f"c{place}")) for place, one in enumerate(batch)]


def _query(batch: Sequence[Candidate]) -> str:
    parts = []
    for place, candidate in enumerate(batch):
        owner, _, name = candidate.repo.partition("/")
        arguments = f"owner: {json.dumps(owner)}, name: {json.dumps(name)}"
        parts.append(f"c{place}: repository({arguments}) {{{FIELDS % candidate.number}\n}}")
    return "query {\nrateLimit { remaining resetAt }\n" + "\n".join(parts) + "\n}"


def _post(web: Web, query: str) -> Reply:
    with web.open("POST", "/graphql", json={"query": query}) as response:
        body = response.read()
        refuse_token(response)
        if response.status_code != 200:
            raise GaveUp(f"GraphQL: status {response.status_code}")
    try:
        reply = msgspec.json.decode(body, type=Reply)
    except msgspec.MsgspecError as error:
        raise Transient(f"GraphQL: {error}") from None
    if any(fault.type == "RATE_LIMITED" for fault in reply.errors):
        raise Transient("rate limit (GraphQL)", advice(response.headers) or UNSAID_WAIT_S, limited=True)
    if not reply.data:
        raise Transient(f"GraphQL: {reply.errors[0].message if reply.errors else 'an answer without data'}")
    _heed(web, reply.data.get("rateLimit"), response)
    return reply


def refuse_token(response: httpx.Response) -> None:
    """Raise UserError if GitHub does not take the token."""
    if response.status_code == 401:
        raise UserError(
            "GitHub refuses the token (401); renew the one in the variable that network.token_variable names"
        )


def _heed(web: Web, raw: msgspec.Raw | None, response: httpx.Response) -> None:
    try:
        limit = msgspec.json.decode(raw or b"null", type=RateLimit | None)
    except msgspec.MsgspecError:
        return
    if limit and limit.remaining <= 0:
        web.hold(seconds_until(limit.reset_at, response.headers))


def _answer(candidate: Candidate, raw: msgspec.Raw | None, fault: Fault | None) -> Answer | None:
    """Return the answer of one alias; None if REST should be asked."""
    try:
        repository = msgspec.json.decode(raw or b"null", type=Repository | None)
    except msgspec.MsgspecError:
        return None
    if repository and repository.pull_request:
        return found(candidate, _state(repository, repository.pull_request))
    return Answer(None, "not_found") if fault and fault.type == "NOT_FOUND" else None


def _state(repository: Repository, pull: Pull) -> PullState:
    author, head = pull.author or Author(GHOST, "User"), pull.head_repository
    return PullState(
        repo_id=repository.database_id,
        title=pull.title,
        body=pull.body,
        author=author.name,
        author_type=author.typename,
        labels=[label.name for label in pull.labels.nodes] if pull.labels else [],
        updated_at=pull.updated_at,
        closed_at=pull.closed_at,
        merged=pull.merged,
        merged_at=pull.merged_at,
        merge_commit_sha=pull.merge_commit.oid if pull.merge_commit and pull.merged else None,
        base_sha=pull.base_ref_oid,
        base_ref=pull.base_ref_name,
        default_branch=repository.default_branch_ref.name if repository.default_branch_ref else None,
        fork=repository.is_fork,
        head_sha=pull.head_ref_oid,
        head_ref=pull.head_ref_name,
        head_repo=head.name_with_owner if head else None,
        head_repo_id=head.database_id if head else None,
        commits=pull.commits.total_count,
        additions=pull.additions,
        deletions=pull.deletions,
        changed_files=pull.changed_files,
    )
