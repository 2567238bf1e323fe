"""One writer for a folder, and one line for what a disk fails with."""

import errno
import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openswerl.errors import UserError

FAULTS = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO,
    errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST,
)  # fmt: skip
PROBE_BYTES = 2**20


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the folder for one writer; the system frees it when the process dies.

    Raises UserError if it is held, or if the disk is full, read-only or closed to us, now or while it is held.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"{folder} is being written by another process; wait for it or stop it") from None
            yield
    except OSError as error:
        if error.errno not in FAULTS:
            raise
        raise _said(error, folder) from None
    except RuntimeError:  # PyTorch's writer of checkpoints does not say why it cannot
        if fault := _probe(folder):
            raise _said(fault, folder) from None
        raise


def _said(error: OSError, folder: Path) -> UserError:
    return UserError(f"{error.filename or folder}: {error.strerror}; mend it and run again")


def _probe(folder: Path) -> OSError | None:
    """Return what a file of a megabyte in the folder fails with."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
    except OSError as error:
        return OSError(error.errno, error.strerror, str(folder))
    return None
