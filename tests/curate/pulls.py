"""Pull request records with little said."""

import hashlib
from typing import Any

from openswerl.records import ChangedFile, Issue, PullRequest


def diff_of(*edits: tuple[str, str, str]) -> str:
    """Return a git diff with one hunk of one line for every (path, old line, new line)."""
    return "".join(
        f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
        for path, old, new in edits
    )


def changed(path: str, status: str = "M", old_mode: str = "100644", new_mode: str = "100644") -> ChangedFile:
    blobs = [hashlib.sha1(f"{path} {side}".encode()).hexdigest() for side in ("old", "new")]
    old, new = (None if status == "A" else blobs[0]), (None if status == "D" else blobs[1])
    return ChangedFile(path, status, old_mode if old else "000000", new_mode if new else "000000", old, new)


def pull(number: int = 1, **fields: Any) -> PullRequest:
    """Return a pull request that no filter drops, with some fields replaced."""
    diff = fields.get("oracle_diff", diff_of(("src/a.py", f"x = {number}0", f"x = {number}1")))
    base = {
        "repo": "acme/widget",
        "number": number,
        "title": f"Mend the widget {number}",
        "body": "",
        "author": "ann",
        "author_type": "User",
        "base_ref": "main",
        "base_sha": "0" * 40,
        "head_sha": "1" * 40,
        "merge_base": "0" * 40,
        "merged_at": f"2020-01-01T00:00:{number:02d}Z",
        "issues": [Issue("acme/widget", 1000 + number, "It breaks", "Often.")],
        "changed_files": [changed("src/a.py")],
        "additions": 1,
        "deletions": 1,
        "oracle_diff": diff,
        "oracle_diff_sha256": hashlib.sha256(diff.encode()).hexdigest(),
    }
    return PullRequest(**(base | fields))
