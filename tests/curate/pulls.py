"""Pull request records with little said."""

import hashlib
from pathlib import Path
from typing import Any

from openswerl.config import Cell
from openswerl.curate.change import Change
from openswerl.curate.hunks import FileDiff, parse_diff
from openswerl.curate.run import run
from openswerl.parquet import read_parquet
from openswerl.records import ChangedFile, Issue, PullRequest
from openswerl.stage import Job
from parquet_files import write_parquet


def diff_of(*edits: tuple[str, str, str]) -> str:
    """Return a git diff with one hunk of one line for every (path, old line, new line)."""
    return "".join(
        f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
        for path, old, new in edits
    )


def file_of(path: str, *lines: str) -> FileDiff:
    """Return the diff of one file with one hunk of these signed lines."""
    head = f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n@@ -1,9 +1,9 @@\n"
    [file] = parse_diff(head + "".join(f"{line}\n" for line in lines))
    return file


def changed(
    path: str, status: str = "M", old_mode: str = "100644", new_mode: str = "100644", **fields: Any
) -> ChangedFile:
    blobs = [hashlib.sha1(f"{path} {side}".encode()).hexdigest() for side in ("old", "new")]
    old, new = (None if status == "A" else blobs[0]), (None if status == "D" else blobs[1])
    return ChangedFile(path, status, old_mode if old else "000000", new_mode if new else "000000", old, new, **fields)


def pull(number: int = 1, **fields: Any) -> PullRequest:
    """Return a pull request that no filter drops, with some fields replaced."""
    diff = fields.get("oracle_diff", diff_of(("src/a.py", f"x = {number}0", f"x = {number}1")))
    base = {
        "repo": "acme/widget",
        "repo_id": 77,
        "fork": False,
        "number": number,
        "title": f"Mend the widget {number}",
        "body": "",
        "author": "ann",
        "author_type": "User",
        "base_ref": "main",
        "default_branch": "main",
        "base_sha": "0" * 40,
        "head_sha": hashlib.sha1(f"{number}".encode()).hexdigest(),
        "merge_base": "0" * 40,
        "merged_at": f"2020-01-01T00:{number // 60:02d}:{number % 60:02d}Z",
        "issues": [Issue("acme/widget", 1000 + number, "It breaks", "Often.")],
        "changed_files": [changed("src/a.py")],
        "additions": 1,
        "deletions": 1,
        "oracle_diff": diff,
        "oracle_diff_sha256": hashlib.sha256(diff.encode()).hexdigest(),
        "licence": "MIT",
    }
    return PullRequest(**(base | fields))


def change(number: int = 1, **fields: Any) -> Change:
    """Return `pull` as the filters see it."""
    return Change(pull(number, **fields))


def run_curate(folder: Path, pulls: list[PullRequest], *overrides: str, laptop: Path | None = None) -> dict[str, Any]:
    """Run the stage on these pull requests; the results stand in folder/curate."""
    write_parquet(folder / "crawl" / "pull_requests.parquet", pulls, PullRequest)
    inputs = {"crawl": folder / "crawl"} | ({"laptop": laptop} if laptop else {})
    return run(Job(Cell("curate", overrides).view(), folder / "curate", inputs, "digest"))


def seeds(folder: Path) -> list[int]:
    """Return the numbers of the seeds that `run_curate` wrote."""
    return [item.number for item in read_parquet(folder / "curate" / "pull_requests.parquet", PullRequest)]
