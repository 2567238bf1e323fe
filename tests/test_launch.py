"""Real processes under the launcher: what passes through, and how they end together."""

import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

PREAMBLE = """\
import os, sys, time, datetime
from pathlib import Path
rank = int(os.environ["RANK"])
"""
MEET = """\
import torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
"""


@pytest.fixture
def start(tmp_path):
    """Start the launcher on a script in a folder; whatever is left of it is killed."""
    started = []

    def start(body: str, *arguments: str, count: int = 2) -> "subprocess.Popen[str]":
        script = tmp_path / "script.py"
        script.write_text(PREAMBLE + body)
        command = [sys.executable, "-m", "openswerl.launch", str(count), str(script), *arguments]
        started.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()


def finish(process, timeout=60):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_processes_meet_and_their_output_passes_through(start):
    body = MEET + "parts = [None] * 2; dist.all_gather_object(parts, rank)\n"
    body += "os.write(1, f'{parts} {sys.argv[1]}\\n'.encode()); print('seen', rank, file=sys.stderr)"
    body += "\ndist.barrier(); dist.destroy_process_group()"
    code, out, err = finish(start(body, "key=a b"))
    assert (code, out.splitlines()) == (0, ["[0, 1] key=a b"] * 2)
    assert sorted(err.splitlines()) == ["seen 0", "seen 1"]


def test_an_error_that_all_meet_is_one_line(start):
    body = "name = 'grpo: error: ' if rank == 0 else 'grpo: error in process 1: '\nsys.exit(name + 'no such reward')"
    code, out, err = finish(start(body, count=3))
    assert (code, out) == (1, "")
    assert err.removeprefix("grpo: error").removeprefix(" in process 1") == ": no such reward\n"


@pytest.mark.slow
def test_the_peer_of_a_process_that_fails_is_ended_without_a_word(start):
    body = MEET + "if rank == 1: time.sleep(0.5); sys.exit('grpo: error in process 1: bad')\n"
    body += "parts = [None] * 2; dist.all_gather_object(parts, rank)"
    assert finish(start(body)) == (1, "", "grpo: error in process 1: bad\n")


def test_one_failure_ends_the_others_at_once_with_its_exit_code(start, tmp_path):
    body = "Path(f'pid{rank}').write_text(str(os.getpid()))\nif rank == 0: time.sleep(1000)\n"
    body += "while not Path('pid0').exists(): time.sleep(0.01)\nos._exit(7)"
    assert finish(start(body))[0] == 7
    assert not psutil.pid_exists(int((tmp_path / "pid0").read_text()))


def test_a_process_that_a_signal_ends_is_named(start):
    body = "if rank == 1: os.kill(os.getpid(), 9)\ntime.sleep(1000)"
    assert finish(start(body)) == (137, "", "launch: error: process 1 was ended by SIGKILL\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_ending_the_launcher_ends_the_processes(start, tmp_path, number):
    body = "from openswerl.workers import end_with_launcher as e; e()\n"
    body += "Path(f'.pid{rank}').write_text(str(os.getpid())); os.rename(f'.pid{rank}', f'pid{rank}'); time.sleep(1000)"
    process = start(body)
    wait_for(lambda: all((tmp_path / f"pid{rank}").exists() for rank in (0, 1)))
    os.kill(process.pid, number)
    assert finish(process)[0] == (143 if number == signal.SIGTERM else -number)
    pids = [int((tmp_path / f"pid{rank}").read_text()) for rank in (0, 1)]
    wait_for(lambda: not any(map(psutil.pid_exists, pids)))


def machine(monkeypatch, number, job):
    """What srun tells each of two tasks, as Slurm 22.05 does."""
    told = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": str(number), "SLURM_STEP_ID": "0", "SLURM_JOB_ID": str(job)}
    for name, value in {**told, "SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.slow
def test_launchers_on_two_machines_make_one_group(start, monkeypatch):
    body = MEET + "parts = [None] * 4; dist.all_gather_object(parts, (rank, int(os.environ['LOCAL_RANK'])))\n"
    body += "os.write(1, f'{parts} {os.environ[\"LOCAL_WORLD_SIZE\"]}\\n'.encode())"
    body += "\ndist.barrier(); dist.destroy_process_group()"
    started = []
    for number in (1, 0):  # the first machine need not be there first
        machine(monkeypatch, number, job=os.getpid())
        started.append(start(body))
    expected = "[(0, 0), (1, 1), (2, 0), (3, 1)] 2"
    assert [finish(process, 180) for process in started] == [(0, f"{expected}\n{expected}\n", "")] * 2


def test_a_first_machine_that_is_not_at_its_address_is_one_line(start, monkeypatch):
    job = os.getpid() + 1
    machine(monkeypatch, 0, job)
    port = 20000 + job * 16 % 10000
    with socket.create_server(("127.0.0.1", port)):
        code, out, err = finish(start("", count=1))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"launch: error: 127.0.0.1 port {port} cannot be opened on ")


@pytest.mark.parametrize("arguments", [[], ["2"], ["0", "x.py"], ["two", "x.py"]])
def test_a_wrong_call_is_one_line(arguments):
    done = subprocess.run([sys.executable, "-m", "openswerl.launch", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "launch: error: usage: python -m openswerl.launch N SCRIPT [ARGUMENT ...], N from 1\n"
