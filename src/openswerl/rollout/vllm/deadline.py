"""End a process that hangs while it talks to others: waiting inside NCCL or gloo, it hears no signal."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from openswerl.models.distributed import is_main, rank


@contextmanager
def deadline(seconds: float, message: str) -> Iterator[None]:
    """Print `message` as an error and end this process, with code 1, if the block takes longer.

    Whatever is half-done is lost as after a SIGKILL, which every stage can bear.
    """

    def end() -> None:
        where = "" if is_main() else f" in process {rank()}"
        print(f"publish: error{where}: {message}", file=sys.stderr, flush=True)
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
