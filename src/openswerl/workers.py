"""How many processes or threads a stage may start, and how its processes end with it."""

import multiprocessing
import os
import threading
import time
from multiprocessing.connection import wait

from openswerl.errors import UserError

VARIABLE = "OPENSWERL_WORKERS"


def workers() -> int:
    """Return the threads that Snakemake gives this job; by hand, one for each CPU.

    Raises UserError if OPENSWERL_WORKERS is set to what is no positive integer.
    """
    given = os.environ.get(VARIABLE)
    if given is None:
        return os.cpu_count() or 1
    if not (given.isdecimal() and int(given)):
        raise UserError(f"{VARIABLE}={given!r} is no positive integer; give one, or unset it for one worker a CPU")
    return int(given)


def end_with_parent() -> None:
    """End this process when its parent is killed, as the initializer of a pool; else it would wait for work for ever.

    It would hold the pipe to `tee` too, and Snakemake would wait with it.
    """
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def end_with_launcher() -> None:
    """End this process when the one that started it is gone: a launcher, killed, would leave its processes training."""
    launcher = os.getppid()

    def watch() -> None:
        while os.getppid() == launcher:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
