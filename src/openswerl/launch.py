"""Start a training script as several processes: `python -m openswerl.launch N scripts/grpo.py key=value ...`.

Started by `srun` on several machines, once on each, it makes one group of the N processes of them all.
What they print passes through. When one fails the others are ended at once, and this process ends with its exit code;
an error that all meet is printed once, by whoever was first.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any

from openswerl.errors import UserError

ERROR = re.compile(rb"\w+: error( in process \d+)?: ")  # what stage.one_line prints
GRACE_S = 5.0


@dataclass(frozen=True)
class Place:
    """The machines that train together, which of them this is, and where all processes meet."""

    machines: int
    machine: int
    address: str
    port: int


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
    relay, (store, place) = Relay(), _open_store(_place())
    with _started(count, command, place) as processes:
        threads = [relay.follow(rank, process.stderr) for rank, process in enumerate(processes) if process.stderr]
        while None in (codes := [process.poll() for process in processes]) and not any(codes):
            time.sleep(0.05)
        failed = [rank for rank, code in enumerate(codes) if code]
        for rank in failed or range(count):
            threads[rank].join(GRACE_S)  # their last words
    del store  # which the processes need until their end
    return _exit_code(failed[0], codes[failed[0]] or 0) if failed else 0


def _place() -> Place:
    """Return where this launcher is, from what srun says; without srun there is one machine, and port 0.

    All machines must know the port before they meet, so it follows from the job's number, and lies below those that
    the system hands out.
    """
    machines = int(os.environ.get("SLURM_STEP_NUM_TASKS", 1))
    if machines == 1:
        return Place(1, 0, "127.0.0.1", 0)
    first = os.environ.get("MASTER_ADDR") or os.environ["SLURM_LAUNCH_NODE_IPADDR"]  # srun starts task 0 beside itself
    number = int(os.environ["SLURM_JOB_ID"]) * 16 + int(os.environ["SLURM_STEP_ID"])
    return Place(machines, int(os.environ["SLURM_PROCID"]), first, 20000 + number % 10000)


def _open_store(place: Place) -> tuple[Any, Place]:
    """Open where the processes meet, on the first machine. Of one machine the system picks the port."""
    from torch.distributed import TCPStore

    if place.machine:
        return None, place
    try:
        store = TCPStore(place.address, place.port, is_master=True, wait_for_workers=False)
    except RuntimeError as error:  # torch's own
        raise UserError(
            f"{place.address} port {place.port} cannot be opened on {socket.gethostname()}: run again, or set "
            f"MASTER_ADDR to the address of the first machine ({str(error).splitlines()[0]})"
        ) from None
    return store, replace(place, port=store.port)


@contextmanager
def _started(count: int, command: Sequence[str], place: Place) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Processes with torchrun's variables; none is left behind, however the block ends."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(count):
            environment = {**os.environ, **_variables(rank, count, place)}
            processes.append(subprocess.Popen([sys.executable, *command], env=environment, stderr=subprocess.PIPE))
        yield processes
    finally:
        _end(processes)


def _variables(local: int, count: int, place: Place) -> dict[str, str]:
    numbers = {"RANK": place.machine * count + local, "WORLD_SIZE": place.machines * count, "MASTER_PORT": place.port}
    numbers |= {"LOCAL_RANK": local, "LOCAL_WORLD_SIZE": count}
    store = {"MASTER_ADDR": place.address, "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0"}
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
