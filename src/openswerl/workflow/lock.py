"""One workflow at a time in a folder, and none of the locks that a killed one left.

Snakemake's own lock is a file that says what is being written, which a kill leaves behind. Beside it we hold one that
the system frees when its process dies, so that a lock without a holder is known to be left over.
"""

import fcntl
import os
import shutil
from pathlib import Path
from typing import IO

PLACE = Path(".snakemake")
HELD: list[IO[str]] = []  # until this process ends


def hold() -> bool:
    """Hold the current folder and clear the locks of a killed workflow; False, and nothing is done, if another runs.

    A folder that cannot be written, or a file system without locks, is left to Snakemake, which clears nothing.
    """
    held = True if HELD else _hold()
    if held:
        shutil.rmtree(PLACE / "locks", ignore_errors=True)
    return held is not False


def keep() -> None:
    """Hold the folder from now on, once a dry run that still has it has ended."""
    if not HELD:
        _hold(fcntl.LOCK_EX)


def refusal() -> str:
    """Say in one line who has the folder, and what to do."""
    try:
        process = f"process {int((PLACE / 'openswerl.lock').read_text())}"
    except (OSError, ValueError):
        process = "another process"
    return f"{Path.cwd()} has a workflow that runs ({process}): wait for it or stop it, and run again"


def _hold(how: int = fcntl.LOCK_EX | fcntl.LOCK_NB) -> bool | None:
    """Return whether the folder is held now, False if another workflow has it; None where nothing can be told."""
    try:
        PLACE.mkdir(exist_ok=True)
        handle = (PLACE / "openswerl.lock").open("a")
    except OSError:
        return None
    try:
        fcntl.flock(handle, how)
    except OSError as error:
        handle.close()
        return False if isinstance(error, BlockingIOError) else None
    handle.truncate(0)
    handle.write(str(os.getpid()))
    handle.flush()
    HELD.append(handle)
    return True
