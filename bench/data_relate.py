"""Recall@k and precision@k of the predictors on real clones: python bench/data_relate.py CLONES [MERGES].

A merge of a branch stands for a pull request, whether or not it was one; MERGES of each clone are taken, spread evenly.
"""

import sys
import time
from pathlib import Path

from openswerl.archive.sources import existing
from openswerl.config import Cell
from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import GitError, git
from openswerl.records import PullRequest
from openswerl.relate.instances import query_of
from openswerl.relate.languages import main_language
from openswerl.relate.quality import Quality, measure
from openswerl.relate.signals import candidates
from openswerl.relate.tree import Tree
from openswerl.relate.truth import truth

MAX_FILES = 5


def merges(repo: str, clone: Clone) -> list[PullRequest]:
    form = "--format=%H %P %cI"
    lines = git(clone.path, "log", "--merges", "--first-parent", form, "HEAD", "--").decode().splitlines()
    rows = [line.split() for line in lines]
    found = [pull for row in rows if len(row) == 4 and (pull := pull_of(repo, clone, *row))]
    return [pull for pull in found if len(pull.changed_files) <= MAX_FILES]


def pull_of(repo: str, clone: Clone, merge: str, base: str, head: str, at: str) -> PullRequest | None:
    try:
        point = git(clone.path, "merge-base", base, head).decode().strip()
        diff = clone.diff(point, head)
    except (GitError, UnicodeDecodeError):
        return None
    if not main_language(file.path for file in diff.files):
        return None
    subject = git(clone.path, "log", "--max-count=1", "--format=%B", head, "--").decode("utf-8", "replace")
    return PullRequest(
        repo=repo, number=0, title=subject, body="", author="", author_type="", merged_at=at, base_ref="",
        base_sha=base, head_sha=head, merge_commit_sha=merge, merge_base=point, issues=[], changed_files=diff.files,
        additions=0, deletions=0, oracle_diff="", oracle_diff_sha256="",
    )  # fmt: skip


def main(folder: Path, count: int) -> None:
    cfg, quality, start, seen = Cell("relate").view().relate, Quality(), time.process_time(), 0
    clones = Clones(existing("the first argument", folder))
    for repo in clones.paths:
        with clones.open(repo) as clone:
            pulls = merges(repo, clone)
            for pull in pulls[:: max(1, len(pulls) // count)][:count]:
                tree, query = Tree(clone, pull.merge_base), query_of(pull)
                found = truth(pull, clone, candidates(query.changed, tree, cfg))
                quality.add(measure(repo, query, tree, cfg, found, []) if found else [])
                seen += 1
    print(quality.csv() + f"{seen} merges, {(time.process_time() - start) / max(seen, 1):.3f} s of CPU each")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40)
