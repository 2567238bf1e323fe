"""Source trees as values: read from git at a commit, changed by patches with the real `git apply`.

No working tree of a repository is ever checked out, so no hook, filter or attribute of it can run.
"""

import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from openswerl.crawl.git import GitError, git
from openswerl.crawl.objects import Objects
from openswerl.errors import UserError

NAMES = ("utf-8", "surrogateescape")
MAX_FILE = 64 << 20
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # removing folders from a disk costs milliseconds
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}
SYMLINK, EXECUTABLE, REGULAR = "120000", "100755", "100644"


class Entry(NamedTuple):
    """One file: its git mode (regular, executable or symbolic link) and its bytes (a link's are its target)."""

    mode: str
    data: bytes


Tree = dict[str, Entry]


class PatchError(Exception):
    """A patch that `git apply` refuses; the message is git's first line."""


def read_tree(clone: Path, commit: str) -> Tree:
    """Return every file of a commit; submodules are left out. Raises UserError if git cannot read it."""
    if not clone.is_dir():
        raise UserError(f"{clone} is missing; make the clone again")
    try:
        listing = git(clone, "ls-tree", "-rz", commit).decode(*NAMES).split("\0")[:-1]
        objects = Objects(clone)
        try:
            return dict(_read_entry(line, objects) for line in listing if " blob " in line.partition("\t")[0])
        finally:
            objects.close()
    except GitError as error:
        raise UserError(f"{clone} at {commit}: {error.detail}; make the clone again") from None


def _read_entry(line: str, objects: Objects) -> tuple[str, Entry]:
    fields, _, path = line.partition("\t")
    mode, _, sha = fields.split(" ")
    if {"..", ".git"} & set(PurePosixPath(path).parts) or path.startswith("/"):
        raise GitError("unsafe_path", f"the tree holds the unsafe path {path!r}")
    found = objects.read(sha, MAX_FILE)
    if found is None or not found.whole:
        raise GitError("missing_object", f"{path} is missing or larger than {MAX_FILE} bytes")
    return path, Entry(mode, found.data)


def apply_patch(tree: Tree, patch: str) -> Tree:
    """Return the tree after `git apply`. Raises PatchError if git refuses the patch."""
    with tempfile.TemporaryDirectory(prefix="openswerl-apply-", dir=MEMORY) as name:
        folder = Path(name).resolve() / "tree"
        folder.mkdir()
        write_tree(tree, folder)
        # without the ceiling, git apply inside some repository silently skips the files outside its current folder
        environment = {**ENVIRONMENT, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=folder, env=environment, input=as_bytes(patch), capture_output=True)
        if done.returncode:
            raise PatchError((done.stderr.decode(errors="replace").splitlines() or ["git apply failed"])[0])
        return dict(_read_back(folder))


def as_bytes(text: str) -> bytes:
    """Return the bytes of a file that is not UTF-8 as they were; a model may also write what no file can hold."""
    try:
        return text.encode(*NAMES)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def changed_paths(old: Tree, new: Tree) -> list[str]:
    """Return the sorted paths that differ, those that only one tree has included."""
    return sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))


def write_tree(tree: Tree, folder: Path) -> None:
    """Write the files below an empty folder, links last, so that nothing is written through a link."""
    for path, entry in sorted(tree.items(), key=lambda item: item[1].mode == SYMLINK):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == SYMLINK:
            target.symlink_to(os.fsdecode(entry.data))
        else:
            target.write_bytes(entry.data)
            target.chmod(0o755 if entry.mode == EXECUTABLE else 0o644)


def _read_back(folder: Path) -> Iterator[tuple[str, Entry]]:
    for root, folders, files in os.walk(folder):
        for name in files + [name for name in folders if os.path.islink(os.path.join(root, name))]:
            path = Path(root, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                entry = Entry(SYMLINK, os.fsencode(os.readlink(path)))
            else:
                entry = Entry(EXECUTABLE if mode & 0o100 else REGULAR, path.read_bytes())
            yield str(path.relative_to(folder)), entry
