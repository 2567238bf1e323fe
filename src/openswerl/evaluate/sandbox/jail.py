"""Bubblewrap around a real repository: its tree at /testbed, its environment at /venv, and little of the system.

A program sees /usr and the loader's files read-only, what a `View` names, and nothing else of this machine: no home, no
network unless the view has it, no other process, no capability, none of our environment variables. All that it can
write to in a run is in memory, so that a run leaves nothing behind, however it ends.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openswerl.evaluate.sandbox.isolation import memory_mount, walls

HOME = "/home/openswerl"
SYSTEM = ("/etc/alternatives", "/etc/nsswitch.conf", "/etc/mime.types", "/etc/fonts", "/etc/ssl/certs")
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "HOME": HOME,
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in (
        ("NAME", "openswerl"), ("EMAIL", "openswerl@localhost"), ("DATE", "2000-01-01T00:00:00Z"),
    )},
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """What a program sees beside the system, by its place inside.

    `read_only` and `writable` are files and folders of this machine, `texts` files made of bytes, `memory` empty
    folders and their size in bytes.
    """

    read_only: Mapping[str, Path] = field(default_factory=dict)
    writable: Mapping[str, Path] = field(default_factory=dict)
    texts: Mapping[str, bytes] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    network: bool = False


@contextlib.contextmanager
def started(
    view: View,
    command: Sequence[str],
    *,
    stdout: int,
    environment: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a command in a new sandbox; when the block ends, kill it with all that it started."""
    with contextlib.ExitStack() as stack:
        texts = {place: stack.enter_context(_held(text)) for place, text in (_accounts() | dict(view.texts)).items()}
        process = subprocess.Popen(
            [*_bubblewrap(view, texts), *command],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            env={**ENVIRONMENT, **(environment or {})},
            pass_fds=[*texts.values(), *inherited],
            start_new_session=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _bubblewrap(view: View, texts: Mapping[str, int]) -> list[str]:
    words = [*walls(), *(["--share-net"] if view.network else [])]
    words += ["--proc", "/proc", "--dev", "/dev", *memory_mount(HOME)]
    words += ["--remount-ro", "/dev", *memory_mount("/dev/shm")]
    for name in SYSTEM:
        words += ["--ro-bind-try", name, name]
    for place, size in view.memory.items():
        words += memory_mount(place, size)
    for option, bound in (("--ro-bind", view.read_only), ("--bind", view.writable)):
        for place, path in bound.items():
            words += [option, str(path), place]
    for place, descriptor in texts.items():
        words += ["--ro-bind-data", str(descriptor), place]
    return [*words, "--remount-ro", "/"]


def _accounts() -> dict[str, bytes]:
    """Return the files by which a program finds its user and this machine: the real ones tell about others."""
    user, group = os.getuid(), os.getgid()
    return {
        "/etc/passwd": f"openswerl:x:{user}:{group}::{HOME}:/bin/bash\n".encode(),
        "/etc/group": f"openswerl:x:{group}:\n".encode(),
        "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    }


@contextlib.contextmanager
def _held(text: bytes) -> Iterator[int]:
    """Yield a descriptor of a file in memory that holds the text, to be read from its start."""
    descriptor = os.memfd_create("openswerl")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(text)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
