"""What makes pull requests one change: each key is a 64-bit hash, and those who share one belong together.

Kinds: patch, issue; pull (own number, or one that a backport names), cites and holds (commits), branch and trunk
(titles on a maintenance branch and on the default branch); reverts and reverts_title (what a revert takes back).
"""

import hashlib
import re
from collections.abc import Iterator

from openswerl.curate.change import Change
from openswerl.curate.patch_id import patch_id
from openswerl.records import PullRequest

Key = tuple[str, int]
REVERT_TITLE = re.compile(r'\s*Revert\b[\s:]*(?:"(?P<title>.*)")?', re.IGNORECASE | re.DOTALL)
REVERTS = re.compile(r"\bReverts\s+(?P<repo>[\w.-]+/[\w.-]+)?#(?P<number>\d+)", re.IGNORECASE)
BACKPORT = re.compile(
    r"\b(?:back-?port|cherry[- ]?pick)(?:s|ed|ing)?\b[^\n#.]{0,40}?"
    r"(?:(?P<repo>[\w.-]+/[\w.-]+)?#|https://github\.com/(?P<url_repo>[\w.-]+/[\w.-]+)/pull/)(?P<number>\d+)",
    re.IGNORECASE,
)
CITED = re.compile(r"\(cherry[- ]picked from commit ([0-9a-f]{40})\)", re.IGNORECASE)
SHA = re.compile(r"[0-9a-f]{40}")
TITLE_NOISE = re.compile(r"^\s*\[[^\]]*\]|\([^)]*#\d+\)|\b(?:back-?port|cherry[- ]?pick)\w*|[^\w]+", re.IGNORECASE)
MIN_TITLE_WORDS = 3


def hashed(*parts: object) -> int:
    """Return a signed 64-bit hash of some values."""
    digest = hashlib.blake2b("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little", signed=True)


def keys(change: Change) -> list[Key]:
    """Return every key of a pull request."""
    pull = change.pull
    return list(dict.fromkeys([*_reverted(pull), *_same(change), *_backport(pull), *_commits(pull), *_titles(pull)]))


def is_revert(pull: PullRequest) -> bool:
    """Whether the title starts with Revert."""
    return REVERT_TITLE.match(pull.title) is not None


def pull_key(repo: str, number: int) -> int:
    """Return the key of a pull request's own number."""
    return hashed("pull", repo.lower(), number)


def title_key(repo: str, title: str) -> int:
    """Return the key of a title, word for word, which `Revert "title"` quotes."""
    return hashed("title", repo.lower(), title)


def _reverted(pull: PullRequest) -> Iterator[Key]:
    """Yield what a revert takes back: "Reverts #n" in the body, else the quoted title."""
    if not (revert := REVERT_TITLE.match(pull.title)):
        return
    if named := REVERTS.search(pull.body):
        yield "reverts", pull_key(named["repo"] or pull.repo, int(named["number"]))
    elif revert["title"]:
        yield "reverts_title", title_key(pull.repo, revert["title"])


def _same(change: Change) -> Iterator[Key]:
    yield "patch", int.from_bytes(bytes.fromhex(patch_id(change.files))[:8], "little", signed=True)
    for issue in change.pull.issues:
        yield "issue", hashed("issue", issue.repo.lower(), issue.number)


def _backport(pull: PullRequest) -> Iterator[Key]:
    yield "pull", pull_key(pull.repo, pull.number)
    for text in (pull.title, pull.body):
        for named in BACKPORT.finditer(text):
            yield "pull", pull_key(named["repo"] or named["url_repo"] or pull.repo, int(named["number"]))


def _commits(pull: PullRequest) -> Iterator[Key]:
    messages = [commit.message for commit in pull.commits]
    for text in (pull.body, *messages):
        for sha in CITED.findall(text):
            yield "cites", hashed("commit", sha.lower())
    for sha in {pull.head_sha, pull.merge_commit_sha, *(commit.sha for commit in pull.commits)}:
        if SHA.fullmatch(sha):
            yield "holds", hashed("commit", sha)


def _titles(pull: PullRequest) -> Iterator[Key]:
    words = TITLE_NOISE.sub(" ", pull.title).lower().split()
    if pull.base_ref and pull.default_branch and len(words) >= MIN_TITLE_WORDS:
        kind = "trunk" if pull.base_ref == pull.default_branch else "branch"
        yield kind, hashed("words", pull.repo.lower(), *words)
