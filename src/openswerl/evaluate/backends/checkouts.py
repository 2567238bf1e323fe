"""Repositories without a past: the tree of one commit of a clone, in a new repository that has nothing else."""

import subprocess
from pathlib import Path

from openswerl.crawl.git import GitError, clone_path, command, environment, git
from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import ENVIRONMENT

# no reflog; and a copy of the tree, which keeps times but not inodes, is known to git as unchanged without reading it
SETTINGS = {"core.logAllRefUpdates": "false", "core.checkStat": "minimal", "core.trustctime": "false"}


def clone_of(clones: Path, repo: str) -> Path:
    """Return the git directory of a repository's clone, <clones>/<owner>__<name>.git, be that bare or not.

    Raises UserError with the command that makes it if there is none.
    """
    path = clone_path(clones, repo)
    path = path / ".git" if (path / ".git").is_dir() else path
    if not (path / "objects").is_dir():
        raise UserError(f"{path} is no clone; make it: git clone --bare https://github.com/{repo} {path}")
    return path


def checkout(clone: Path, commit: str, folder: Path) -> None:
    """Write the tree of a commit to the work tree and index of a new repository, which has no commit yet.

    The clone is only read from. Raises UserError if it lacks the commit.
    """
    try:
        tree = git(clone, "rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()
        names = git(clone, "rev-list", "--objects", "--no-object-names", tree)
    except GitError as error:
        raise UserError(f"{clone} lacks {commit} ({error.detail}); fetch it, or make the clone again") from None
    _git(folder.parent, "init", "-q", "-b", "main", "--template=", str(folder))
    for name, value in SETTINGS.items():
        _git(folder, "config", name, value)
    (folder / ".git" / "info").mkdir()
    (folder / ".git" / "info" / "exclude").write_text("__pycache__/\n")
    _copy_objects(clone, names, folder)
    _git(folder, "read-tree", tree)
    _git(folder, "checkout-index", "-a", "-f", "-u")


def _copy_objects(clone: Path, names: bytes, folder: Path) -> None:
    """Copy objects to a new repository as one pack, through a file: a repository may be larger than memory."""
    pack = folder / ".git" / "copied.pack"
    with pack.open("wb") as file:
        packing = command("pack-objects", "--stdout", "-q")
        done = subprocess.run(packing, cwd=clone, env=environment(), input=names, stdout=file, stderr=subprocess.PIPE)
    if done.returncode:
        raise UserError(f"{clone} is damaged ({done.stderr.decode(errors='replace').strip()}); make the clone again")
    with pack.open("rb") as file:
        _git(folder, "index-pack", "--stdin", stdin=file.fileno())
    pack.unlink()


def _git(folder: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> None:
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, stdin=stdin, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"git {arguments[0]} failed in {folder}: {done.stderr.strip()}")
