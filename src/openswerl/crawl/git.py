"""Run git on a clone that nobody vouches for: no hooks, no config, no attributes, no filters, no network."""

import os
import shutil
import subprocess
from pathlib import Path

from openswerl.errors import UserError

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
OPTIONS = {
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.bigFileThreshold": "512m",  # git's own: a lower one makes every file binary
    "core.fsmonitor": "false",
    "core.quotePath": "true",
    "diff.default.binary": "auto",
    "diff.indentHeuristic": "true",
    "diff.suppressBlankEmpty": "false",
    "log.showSignature": "false",  # which runs gpg.program
    "protocol.allow": "never",
    "safe.directory": "*",
}
SETTINGS = {
    "GIT_ALLOW_PROTOCOL": "none",  # a clone may allow itself one that runs a command, and name it as its origin
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ATTR_SOURCE": EMPTY_TREE,
    "GIT_INDEX_FILE": "/nonexistent/index",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def clone_path(folder: Path, repo: str) -> Path:
    """Return where the bare clone of owner/name is looked for: <folder>/<owner>__<name>.git."""
    return folder / f"{repo.replace('/', '__')}.git"


class GitError(Exception):
    """Git failed on a clone; `reason` is a stable code, `detail` is for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


def require_git() -> None:
    """Raise UserError if git is not installed."""
    if shutil.which("git") is None:
        raise UserError("git is not on the PATH; install git 2.32 or newer and run again")


def git(clone: Path, *arguments: str) -> bytes:
    """Return what a git command prints. Raises GitError (git_failed) with git's last line."""
    done = subprocess.run(
        command(*arguments), cwd=clone, env=environment(), capture_output=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError("git_failed", lines[-1] if lines else f"git {arguments[0]} failed without a message")
    return done.stdout


def converse(clone: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start a git command that answers on stdout what it is asked on stdin."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(*arguments), cwd=clone, env=environment(), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    )


def command(*arguments: str) -> list[str]:
    """Return a command line for the current folder, which must be the git directory: no folder above is tried."""
    options = [item for key, value in OPTIONS.items() for item in ("-c", f"{key}={value}")]
    return ["git", "--git-dir=.", *options, "--no-pager", *arguments]


def environment() -> dict[str, str]:
    """Return the environment without what an outer git, such as a hook, has set."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "LC_"))}
    return kept | SETTINGS
