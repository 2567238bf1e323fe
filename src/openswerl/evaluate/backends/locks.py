"""Locks between the processes that share a folder of environments or images."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(folder: Path, name: str, wait: bool = True) -> Iterator[None]:
    """Hold the lock of what `folder` has as `name`; a killed process has let go of it.

    Raises BlockingIOError if somebody else holds it and not to wait.
    """
    with (folder / f".{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
