"""What GitHub would count of every pull request, asked of git in two processes per repository."""

from collections.abc import Sequence
from pathlib import Path

from openswerl.laptop.history import run_git


def diff_counts(folder: Path, pairs: Sequence[tuple[str, str]]) -> list[dict[str, int]]:
    """Return additions, deletions and changed_files between the commits of each pair."""
    commits = [commit for pair in pairs for commit in pair]
    asked = "".join(f"{commit}^{{tree}}\n" for commit in commits)
    at = ["--git-dir", str(folder)]
    trees = run_git([*at, "cat-file", "--batch-check=%(objectname)"], asked.encode()).decode().split()
    lines = [f"{old} {new}" for old, new in zip(trees[::2], trees[1::2], strict=True)]
    stdin = "".join(f"{line}\n" for line in lines).encode()
    printed = run_git([*at, "diff-tree", "--stdin", "-r", "--numstat", "--no-renames"], stdin).decode().splitlines()
    found: list[dict[str, int]] = []
    for line in printed:
        if "\t" not in line:
            found.append({"additions": 0, "deletions": 0, "changed_files": 0})
            continue
        plus, minus, _ = line.split("\t")
        found[-1]["additions"] += int(plus)
        found[-1]["deletions"] += int(minus)
        found[-1]["changed_files"] += 1
    return found
