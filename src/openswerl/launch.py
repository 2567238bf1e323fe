"""Start a training script as several processes: `python -m openswerl.launch N scripts/grpo.py key=value ...`.

What they print passes through. When one fails the others are ended at once, and this process ends with its exit code;
an error that all meet is printed once, by whoever was first.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from openswerl.errors import UserError

ERROR = re.compile(rb"\w+: error( in process \d+)?: ")  # what stage.one_line prints
GRACE_S = 5.0


class Relay:
    """Passes on what the processes write to stderr; after an error line only what its process writes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.speaker: int | None = None

    def follow(self, rank: int, stderr: IO[bytes]) -> threading.Thread:
        """Pass on until the end of the stream."""
        thread = threading.Thread(target=self._pass_on, args=(rank, stderr), daemon=True)
        thread.start()
        return thread

    def _pass_on(self, rank: int, stderr: IO[bytes]) -> None:
        for line in stderr:
            with self.lock:
                if self.speaker is None and ERROR.match(line):
                    self.speaker = rank
                if self.speaker in (None, rank):  # the others only lose their peer, and say so at length
                    sys.stderr.buffer.write(line)
                    sys.stderr.buffer.flush()


def launch(count: int, command: Sequence[str]) -> int:
    """Run `command` in `count` processes, which find each other as torchrun's do; returns the first failure's code."""
    relay, (store, port) = Relay(), _open_store()
    with _started(count, command, port) as processes:
        threads = [relay.follow(rank, process.stderr) for rank, process in enumerate(processes) if process.stderr]
        while None in (codes := [process.poll() for process in processes]) and not any(codes):
            time.sleep(0.05)
        failed = [rank for rank, code in enumerate(codes) if code]
        for rank in failed or range(count):
            threads[rank].join(GRACE_S)  # their last words
    del store  # which the processes need until their end
    return _exit_code(failed[0], codes[failed[0]] or 0) if failed else 0


def _open_store() -> tuple[Any, int]:
    """Open where the processes meet, on a port that the system picks, so that no two runs want the same."""
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    return store, store.port


@contextmanager
def _started(count: int, command: Sequence[str], port: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Processes with torchrun's variables; none is left behind, however the block ends."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(count):
            environment = {**os.environ, **_variables(rank, count, port)}
            processes.append(subprocess.Popen([sys.executable, *command], env=environment, stderr=subprocess.PIPE))
        yield processes
    finally:
        _end(processes)


def _variables(rank: int, count: int, port: int) -> dict[str, str]:
    numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count, "MASTER_PORT": port}
    store = {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0"}
    return {name: str(number) for name, number in numbers.items()} | store


def _end(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + GRACE_S
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _exit_code(rank: int, code: int) -> int:
    """As a shell gives it; a process that a signal ended had no chance to say so."""
    if code > 0:
        return code
    print(f"launch: error: process {rank} was ended by {signal.Signals(-code).name}", file=sys.stderr)
    return 128 - code


def main(arguments: Sequence[str]) -> int:
    """Read `N script [argument ...]`. Raises UserError for anything else."""
    if len(arguments) < 2 or not arguments[0].isdecimal() or not int(arguments[0]):
        raise UserError("usage: python -m openswerl.launch N SCRIPT [ARGUMENT ...], N from 1")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    return launch(int(arguments[0]), arguments[1:])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as problem:
        sys.exit(f"launch: error: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
