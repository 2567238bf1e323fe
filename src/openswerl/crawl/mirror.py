"""Clone repositories from the network, whole: every branch, and the heads of all pull requests in refs/pull/*."""

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from omegaconf import DictConfig

from openswerl.crawl.git import environment, require_git
from openswerl.disks import lock
from openswerl.errors import UserError
from openswerl.progress import Progress
from openswerl.threads import in_threads
from openswerl.web import GaveUp, Transient, Web

REPOSITORY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*/(?!\.\.?$)[A-Za-z0-9_.-]+", re.ASCII)
SCHEMES = ("https", "http", "file")
LEFTOVER = ".partial"
# In this order: GitHub asks for a name and password where there is nothing to see.
REASONS = {
    "repository_blocked": re.compile(
        rb"DMCA|repository (?:unavailable|has been disabled)|returned error: (?:403|451)", re.IGNORECASE
    ),
    "repository_gone": re.compile(
        rb"not found|could not read Username|does not exist|not appear to be a git|returned error: (?:401|404|410)"
    ),
}


class Unclonable(Exception):
    """There is nothing to clone, and trying again would not change that; `reason` is a stable code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def make_mirrors(repos: list[str], folder: Path, network: DictConfig) -> dict[str, str]:
    """Clone what the folder lacks, as owner__name.git; return {repository: reason} of those that could not be.

    The reasons are bad_name, repository_gone, repository_blocked, clone_timeout and clone_failed. A mirror that exists
    is left alone. Raises UserError if another process clones into the folder.
    """
    require_git()
    if urlsplit(network.clone_url).scheme not in SCHEMES:
        raise UserError(f"network.clone_url={network.clone_url} must start with one of {', '.join(SCHEMES)}")
    folder.mkdir(parents=True, exist_ok=True)
    with lock(folder), Web(network, network.clone_url) as web:
        for path in folder.glob(f".*{LEFTOVER}"):
            shutil.rmtree(path, ignore_errors=True)
        there = {path.name.lower().removesuffix(".git") for path in folder.iterdir() if path.is_dir()}
        wanted = list({repo.lower(): repo for repo in sorted(repos) if _stem(repo).lower() not in there}.values())
        progress, reasons = Progress("crawl: repositories cloned", len(wanted)), []
        for reason in in_threads(functools.partial(_mirror, web, folder, network), wanted, network.connections):
            reasons.append(reason)
            progress.step()
    return {repo: reason for repo, reason in zip(wanted, reasons, strict=True) if reason}


def _stem(repo: str) -> str:
    return repo.replace("/", "__", 1)


def _mirror(web: Web, folder: Path, network: DictConfig, repo: str) -> str:
    """Return why there is no mirror now, empty if there is."""
    if not REPOSITORY.fullmatch(repo):
        return "bad_name"
    try:
        web.attempt(f"clone of {repo}", lambda: _clone(web, folder, repo, network.clone_timeout_s))
    except Unclonable as error:
        return error.reason
    except GaveUp as error:
        print(f"crawl: warning: {error}", file=sys.stderr)
        return "clone_failed"
    return ""


def _clone(web: Web, folder: Path, repo: str, limit_s: float) -> None:
    """Clone into a folder that no other process shares, then move it into place."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{_stem(repo)}.", suffix=LEFTOVER, dir=folder))
    try:
        # A home without .netrc, and no program to ask for a password: nothing of the user's reaches the server.
        allowed = urlsplit(web.server).scheme
        settings = environment() | {"HOME": str(temporary), "GIT_ASKPASS": "", "GIT_ALLOW_PROTOCOL": allowed}
        process = subprocess.Popen(
            command(f"{web.server}/{repo}.git", temporary),
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        told = _wait(process, web.ended, limit_s)
        if process.returncode:
            raise _failure(told)
        os.chmod(temporary, 0o755)
        os.replace(temporary, folder / f"{_stem(repo)}.git")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def command(url: str, target: Path) -> list[str]:
    """Return the command, without hooks from a template; `environment` leaves out the user's config."""
    return ["git", "clone", "--mirror", "--quiet", "--template=", "--", url, str(target)]


def _wait(process: "subprocess.Popen[bytes]", ended: threading.Event, limit_s: float) -> bytes:
    """Return what git says on stderr. At the limit, or when the run ends, its whole process group is killed."""
    deadline = time.monotonic() + limit_s
    try:
        while True:
            try:
                return process.communicate(timeout=min(1.0, limit_s))[1]
            except subprocess.TimeoutExpired:
                if ended.is_set() or time.monotonic() >= deadline:
                    raise Unclonable("clone_timeout") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _failure(told: bytes) -> Exception:
    """Return Unclonable, UserError for a full disk, or Transient for what may pass."""
    if b"No space left on device" in told:
        return UserError("no space is left for clones; what was cloned is kept: make room and run again")
    for reason, pattern in REASONS.items():
        if pattern.search(told):
            return Unclonable(reason)
    lines = told.decode("utf-8", "replace").strip().splitlines()
    return Transient(lines[-1] if lines else "git clone failed without a message")
