"""Scoring processes with a hard kill: the matcher runs in C, where no signal handler can interrupt it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import LifoQueue
from typing import Literal

import openswerl
from openswerl.errors import UserError
from openswerl.reward.outcome import Score
from openswerl.reward.settings import Call, Settings

Failure = Literal["timeout", "worker_died"]
START_SECONDS = 60.0
END_SECONDS = 2.0
ATTEMPTS = 2


class Slot:
    """Room for one scoring process at a time; it starts when first needed and is replaced after a kill or a death."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Connection | None = None

    def score(self, call: Call, settings: Settings, time_limit_s: float | None) -> Score | Failure:
        """Score one call, waiting at most `time_limit_s` seconds; a call whose process dies is tried once more.

        Raises the UserError that the scoring raised.
        """
        for _ in range(ATTEMPTS):
            channel = self._channel or self._start()
            try:
                channel.send((call, settings, time_limit_s))
                if channel.poll(time_limit_s):
                    return _told(channel.recv())
                self.stop()
                return "timeout"
            except (EOFError, OSError):
                self.stop()
        return "worker_died"

    def _start(self) -> Connection:
        """Start a process of its own, not a copy of this one, so that it never loads what a trainer has loaded."""
        self._channel, far_end = Pipe()
        with far_end:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "openswerl.reward.worker", str(far_end.fileno())],
                env={**os.environ, "PYTHONPATH": _import_path()},
                pass_fds=[far_end.fileno()],
                start_new_session=True,
            )
        try:
            ready = self._channel.poll(START_SECONDS) and self._channel.recv()
        except EOFError:
            ready = False
        if not ready:
            self.stop()
            raise UserError("a scoring process did not start; look above for what openswerl.reward.worker printed")
        return self._channel

    def close(self) -> None:
        """Let the process end, so that it can close what it holds open; kill it if it does not."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
        self.stop()

    def stop(self) -> None:
        """Kill the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._channel is not None:
            self._channel.close()
        self._process = self._channel = None


def _told(message: Score | UserError) -> Score:
    if isinstance(message, UserError):
        raise message
    return message


def _import_path() -> str:
    """Return where this process finds modules, so that a scoring process finds a reward of one's own too."""
    source = str(Path(openswerl.__file__).parents[1])
    return os.pathsep.join(filter(None, [source, *sys.path]))


class Processes:
    """A fixed number of slots, safe to use from many threads."""

    def __init__(self, count: int) -> None:
        self._slots = [Slot() for _ in range(count)]
        self._free: LifoQueue[Slot] = LifoQueue()
        for slot in self._slots:
            self._free.put(slot)

    def run(self, calls: Sequence[Call], settings: Settings, time_limit_s: float | None) -> list[Score | Failure]:
        """Score calls side by side; the outcomes keep the order of the calls."""
        if not calls:
            return []
        with ThreadPoolExecutor(len(self._slots)) as threads:
            return list(threads.map(partial(self._run_one, settings=settings, time_limit_s=time_limit_s), calls))

    def _run_one(self, call: Call, settings: Settings, time_limit_s: float | None) -> Score | Failure:
        slot = self._free.get()
        try:
            return slot.score(call, settings, time_limit_s)
        finally:
            self._free.put(slot)

    def close(self) -> None:
        """End all processes."""
        for slot in self._slots:
            slot.close()
