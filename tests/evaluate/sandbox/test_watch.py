"""Counting processes and memory of real process trees."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openswerl.evaluate.sandbox.watch import Limits, available, usage, watch

TREE = """
import os, sys, time
kept = bytearray(b"x" * (50 << 20))
for _ in range(2):
    if not os.fork():
        if not os.fork():
            time.sleep(60)
        time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""


def _start(code: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)


def test_all_processes_below_are_counted_and_others_are_not() -> None:
    parent = _start(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {TREE!r}])")
    try:
        assert parent.stdout is not None and parent.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 20
        while (found := usage(parent.pid))[0] < 5 and time.monotonic() < deadline:
            time.sleep(0.05)  # the last one may not have been forked yet
        assert found[0] == 5 and found[1] > 50 << 20
    finally:
        os.killpg(parent.pid, signal.SIGKILL)
        parent.communicate()


@pytest.mark.parametrize(
    ("code", "limits", "state", "signed"),
    [
        ("print('a')", {}, "exited", 0),
        ("import sys; sys.exit(7)", {}, "exited", 7),
        ("import os; os.kill(os.getpid(), 11)", {}, "exited", -11),
        ("import sys; sys.exit(128 + 9)", {}, "exited", -9),
        ("import time; time.sleep(60)", {"timeout_s": 0.3}, "timeout", None),
        ("while True: print('a' * 1000)", {"output_bytes": 5000}, "output_limit", None),
        ("import os, time; os.close(1); time.sleep(0.3)", {}, "exited", 0),
    ],
)
def test_how_a_program_ends_is_told(code: str, limits: dict[str, int], state: str, signed: int | None) -> None:
    ended = watch(_start(code), Limits(**{"timeout_s": 20, **limits}))
    assert (ended.state, ended.code) == (state, signed)
    assert len(ended.output) <= 5000


def test_the_memory_of_the_machine_is_read() -> None:
    total = int(Path("/proc/meminfo").read_text().split()[1]) << 10
    assert 0 < available() <= total
