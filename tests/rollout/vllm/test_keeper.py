"""Whoever asked for a server may end in any way: the server ends too, with all that it started."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from openswerl.rollout.vllm import keeper

# A command with a child that ignores polite signals, and an owner that starts it as the server's is started.
COMMAND = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("ready", flush=True)
time.sleep(float(sys.argv[1]))
"""
OWNER = """
import subprocess, sys, time
from openswerl.rollout.vllm import keeper
command = [sys.executable, keeper.__file__, sys.executable, "-c", sys.argv[1], "600"]
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
process.stdout.readline()
print(process.pid, flush=True)
time.sleep(600)
"""


def gone(processes):
    """Whether they end within half a minute; a zombie has ended."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not any(alive(one) for one in processes):
            return True
        time.sleep(0.05)
    return False


def alive(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_its_owner(number):
    with subprocess.Popen([sys.executable, "-c", OWNER, COMMAND], stdout=subprocess.PIPE, text=True) as owner:
        first = psutil.Process(int(owner.stdout.readline()))
        family = [first, *first.children(recursive=True)]
        assert len(family) == 3
        owner.send_signal(number)
        assert gone(family)


def test_what_a_command_leaves_behind_ends_with_it():
    command = [sys.executable, keeper.__file__, sys.executable, "-c", COMMAND, "1"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        assert process.stdout.readline() == b"ready\n"
        family = psutil.Process(process.pid).children(recursive=True)
        assert len(family) == 2
        assert gone(family)
        assert process.wait(10) == -signal.SIGKILL
