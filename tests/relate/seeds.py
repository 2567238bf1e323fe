"""Seeds as curate hands them over, made from real repositories without the stages before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawl.world import Work
from openswerl.config import Cell
from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import git
from openswerl.parquet import read_parquet
from openswerl.records import Instance, Issue, PullRequest
from openswerl.relate.run import run
from openswerl.stage import Job
from parquet_files import write_parquet

BREAKS = (Issue("Acme/widget", 107, " It breaks ", "Often.\n"),)


def seed(clone: Clone, number: int, base: str, head: str, issues: Sequence[Issue] = BREAKS, **fields: Any):
    """Return a pull request whose files and diff are git's."""
    merge_base = git(clone.path, "merge-base", base, head).decode().strip()
    diff = clone.diff(merge_base, head)
    values: dict[str, Any] = {
        "repo": "Acme/widget", "number": number, "title": f"Change {number}", "body": "", "author": "ann",
        "author_type": "User", "merged_at": "2017-07-14T03:00:00Z", "base_ref": "main", "base_sha": base,
        "head_sha": head, "merge_base": merge_base, "issues": list(issues), "changed_files": diff.files,
        "additions": diff.additions, "deletions": diff.deletions, "oracle_diff": diff.patch.decode(),
        "oracle_diff_sha256": "", "licence": "MIT", "file": "h.json.gz", "offset": 9,
    }  # fmt: skip
    return PullRequest(**values | fields)


class World:
    """A repository whose pull requests each change it in one way."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work, self.heads = folder, Work(folder / "work"), []
        self.base = self.work.commit(
            {"pkg/a.py": "import pkg.b\nx = 1\n", "pkg/b.py": "y = 1\n", "pkg/c.py": "z = 1\n"}
        )

    def pull(self, number: int, files: dict, **fields: Any) -> str:
        head = self.work.commit(files, self.base, ref=f"refs/pull/{number}/head")
        self.heads.append((number, self.base, head, fields))
        return head

    def write(self) -> None:
        """Make the clone, and curate's output."""
        self.work.git("update-ref", "refs/heads/main", self.base)
        with Clone(self.work.mirror(self.folder / "clones" / "acme__widget.git")) as clone:
            pulls = [seed(clone, number, base, head, **fields) for number, base, head, fields in self.heads]
        write_parquet(self.folder / "curate" / "pull_requests.parquet", pulls, PullRequest)


def job_of(folder: Path, *overrides: str) -> Job:
    everything = ("data=local", f"data.path={folder}", f"data.clones={folder / 'clones'}", *overrides)
    return Job(Cell("relate", everything).view(), folder / "relate", {"curate": folder / "curate"}, "digest")


def run_relate(folder: Path, *overrides: str) -> tuple[dict[str, Any], list[Instance]]:
    """Run the stage on folder/clones and folder/curate."""
    result = run(job_of(folder, *overrides))
    return result, read_parquet(folder / "relate" / "instances.parquet", Instance)


def clones_in(folder: Path) -> Clones:
    return Clones(folder / "clones")
