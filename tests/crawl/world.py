"""Real repositories and real hour files, made small."""

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import Any

WHO = {
    f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "a"), ("EMAIL", "a@b"))
}
DATES = {"GIT_AUTHOR_DATE": "1500000000 +0000", "GIT_COMMITTER_DATE": "1500000000 +0000"}
ISOLATED = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C"}
# The command that the expected records of real pull requests were made with.
FORMAT = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", "--diff-algorithm=myers"]
DIFF = ["diff", *FORMAT, "-U3", "--src-prefix=a/", "--dst-prefix=b/"]


def run_git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git without the user's settings."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=clean | WHO | DATES | ISOLATED,
        input=stdin,
        capture_output=True,
        check=True,
    )
    return done.stdout


class Work:
    """A working repository whose commits are made from contents alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        run_git(folder, "init", "-q", "-b", "main")

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return run_git(self.folder, *arguments, stdin=stdin).decode().strip()

    def commit(self, files: dict[str, bytes | str | None], *parents: str, mode: str = "100644", ref: str = "") -> str:
        """Commit the first parent's tree with some files replaced, or removed (None); return the commit."""
        self.git("read-tree", parents[0] if parents else "--empty")
        for path, content in files.items():
            if content is None:
                self.git("update-index", "--force-remove", "--", path)
                continue
            data = content.encode() if isinstance(content, str) else content
            blob = data.decode() if mode == "160000" else self.git("hash-object", "-w", "--stdin", stdin=data)
            self.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")
        sides = [option for parent in parents for option in ("-p", parent)]
        sha = self.git("commit-tree", self.git("write-tree"), *sides, "-m", f"change {' '.join(files)}")
        if ref:
            self.git("update-ref", ref, sha)
        return sha

    def mirror(self, target: Path) -> Path:
        """Make the clone that a user is told to make."""
        target.parent.mkdir(parents=True, exist_ok=True)
        run_git(target.parent, "clone", "-q", "--mirror", str(self.folder), str(target))
        return target


def pull_record(repo: str, number: int, base: str = "0" * 40, head: str = "1" * 40, **pull: Any) -> dict[str, Any]:
    """Return a merged PullRequestEvent of 2015 or later; keywords replace fields of the pull request."""
    merged_at = pull.setdefault("merged_at", "2020-01-02T03:04:05Z")
    fields = {
        "number": number,
        "title": f"Change {number}",
        "body": None,
        "user": {"login": "ann", "type": "User"},
        "merged": True,
        "updated_at": merged_at,
        "head": {"sha": head, "ref": "topic", "repo": None},
        "base": {"sha": base, "ref": "main", "repo": {"id": repo_id(repo), "fork": False}},
    }
    payload = {"action": "closed", "number": number, "pull_request": fields | pull}
    return record("PullRequestEvent", repo, payload, pull.get("updated_at") or merged_at)


def issue_record(
    repo: str, number: int, title: str, body: str | None, at: str = "2020-01-01T00:00:00Z"
) -> dict[str, Any]:
    """Return an IssuesEvent of 2015 or later."""
    return record(
        "IssuesEvent", repo, {"action": "opened", "issue": {"number": number, "title": title, "body": body}}, at
    )


def record(kind: str, repo: str, payload: dict[str, Any], at: str) -> dict[str, Any]:
    """Return an event of 2015 or later with the archive's key order."""
    head = {"id": "1", "type": kind, "actor": {"id": 1, "login": "ann"}, "repo": {"id": repo_id(repo), "name": repo}}
    return {**head, "payload": payload, "public": True, "created_at": at}


def repo_id(repo: str) -> int:
    """Return a number that stands for a name."""
    return sum(repo.lower().encode()) + 1000


def dumps(item: dict[str, Any]) -> bytes:
    """Return a record as the archive writes it."""
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()


def write_hour(path: Path, *records: dict[str, Any] | bytes) -> Path:
    """Write an hour file; bytes become lines as they are."""
    lines = [item if isinstance(item, bytes) else dumps(item) for item in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(b"".join(line + b"\n" for line in lines), 1))
    return path
