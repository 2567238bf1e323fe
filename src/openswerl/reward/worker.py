"""A scoring process: `python -m openswerl.reward.worker FD` answers (call, settings, time limit) messages."""

import math
import resource
import sys
from multiprocessing.connection import Connection

from openswerl.errors import UserError
from openswerl.reward.outcome import MEMORY_LIMIT, Score
from openswerl.reward.scoring import score_any
from openswerl.reward.settings import Call, Settings

READY = "ready"
MEMORY_BYTES = 2 << 30
SPARE_CPU_SECONDS = 2


def serve(channel: Connection) -> None:
    """Say that it is ready, then answer every message with a Score or a UserError until the other side closes."""
    limit_memory()
    channel.send(READY)
    while True:
        try:
            call, settings, time_limit_s = channel.recv()
        except EOFError:
            return
        limit_cpu(time_limit_s)
        channel.send(_answer(call, settings))


def _answer(call: Call, settings: Settings) -> Score | UserError:
    try:
        return score_any(call, settings)
    except UserError as error:
        return error
    except MemoryError:
        return Score(None, MEMORY_LIMIT)


def limit_memory() -> None:
    """Limit what this process may allocate: an answer must not exhaust the machine's memory.

    Allocated, not reserved: the addresses that GPU libraries reserve are far more.
    """
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def limit_cpu(time_limit_s: float | None) -> None:
    """Let the kernel end this process if its parent, which keeps the wall clock, was killed in the middle of a call."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard
    if time_limit_s is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        soft = math.ceil(usage.ru_utime + usage.ru_stime + time_limit_s) + SPARE_CPU_SECONDS
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
