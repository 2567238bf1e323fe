"""A sandboxed program seen from outside: its output, processes and memory, until it ends or breaks a limit."""

import os
import select
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

TICK_S = 0.05
LOOK_S = 0.1  # to look at all processes of the machine costs a millisecond or two
DRAIN_S = 10
HOST_RESERVE_BYTES = 512 << 20
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
Ending = Literal["exited", "timeout", "output_limit", "process_limit", "memory_limit", "host_memory"]


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    `memory_bytes` holds for the address space of each process, and for what all of them have resident. `disk_bytes`
    holds for the tree, and for the temporary files, each: both are folders in memory.
    """

    timeout_s: float
    memory_bytes: int = 4 << 30
    processes: int = 256
    file_bytes: int = 1 << 30
    disk_bytes: int = 2 << 30
    output_bytes: int = 16 << 20


class Ended(NamedTuple):
    """`code` is the exit code, negative for the signal that ended the program, None where a limit did."""

    state: Ending
    code: int | None
    output: bytes


def watch(process: "subprocess.Popen[bytes]", limits: Limits) -> Ended:
    """Read what a program prints until it ends or breaks a limit, and kill all that is left of it."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    ended, output = os.pidfd_open(process.pid), bytearray()
    try:
        state = _follow(process.pid, ended, pipe, limits, output)
    finally:
        os.close(ended)
        process.kill()  # bubblewrap takes everything in it along
        _read_to_end(pipe, limits.output_bytes, output)
        process.stdout.close()
        code = process.wait()
    return Ended(state, _signed(code) if state == "exited" else None, bytes(output[: limits.output_bytes]))


def _follow(pid: int, ended: int, pipe: int, limits: Limits, output: bytearray) -> Ending:
    deadline, look_at, watched = time.monotonic() + limits.timeout_s, 0.0, [ended, pipe]
    while (now := time.monotonic()) < deadline:
        ready, _, _ = select.select(watched, [], [], TICK_S)
        if pipe in ready and not _read(pipe, output):
            watched.remove(pipe)
        if len(output) > limits.output_bytes:
            return "output_limit"
        if ended in ready:
            return "exited"
        if now >= look_at:
            look_at = now + LOOK_S
            if broken := _broken(pid, limits):
                return broken
    return "timeout"


def _read(pipe: int, output: bytearray) -> bool:
    """Move what is in the pipe, at most one piece, to the output; tells whether more can come."""
    try:
        chunk = os.read(pipe, 1 << 16)
    except BlockingIOError:
        return True
    output += chunk
    return bool(chunk)


def _read_to_end(pipe: int, limit: int, output: bytearray) -> None:
    """Read until every process that held the pipe is gone."""
    deadline = time.monotonic() + DRAIN_S
    while time.monotonic() < deadline:
        ready, _, _ = select.select([pipe], [], [], TICK_S)
        if ready and not _read(pipe, output):
            return
        del output[limit + 1 :]


def _broken(pid: int, limits: Limits) -> Ending | None:
    count, resident = usage(pid)
    if count > limits.processes:
        return "process_limit"
    if resident > limits.memory_bytes:
        return "memory_limit"
    return "host_memory" if available() < HOST_RESERVE_BYTES else None


def usage(root: int) -> tuple[int, int]:
    """Return how many processes there are below `root`, and the bytes that they have resident together."""
    parents, resident = {}, {}
    for pid, fields in _stats():
        parents[pid], resident[pid] = int(fields[1]), int(fields[21]) * PAGE_BYTES
    found, level = 0, {root}
    total = 0
    while level := {pid for pid, parent in parents.items() if parent in level}:
        found += len(level)
        total += sum(resident[pid] for pid in level)
    return found, total


def _stats() -> Iterator[tuple[int, list[bytes]]]:
    """Yield the id of each process with the fields that follow its name in /proc/<id>/stat."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                text = file.read()
        except OSError:  # it has just ended
            continue
        yield int(name), text.rpartition(b")")[2].split()


def available() -> int:
    """Return the bytes of memory that the machine can still give; what no process has mapped counts only here."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return HOST_RESERVE_BYTES


def _signed(code: int) -> int:
    """A shell, and bubblewrap, tell of a signal by 128 and its number."""
    return 128 - code if code > 128 else code
