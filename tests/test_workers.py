import os
import subprocess
import sys
import textwrap

import psutil
import pytest

from openswerl.errors import UserError
from openswerl.workers import workers


def test_the_variable_says_how_many_and_without_it_there_is_one_for_each_cpu(monkeypatch):
    monkeypatch.setenv("OPENSWERL_WORKERS", "3")
    assert workers() == 3
    monkeypatch.delenv("OPENSWERL_WORKERS")
    assert workers() == os.cpu_count()


@pytest.mark.parametrize("given", ["", "0", "-1", "two", "1.5", " 2", "²"])
def test_what_is_no_positive_integer_is_one_clear_error(monkeypatch, given):
    monkeypatch.setenv("OPENSWERL_WORKERS", given)
    with pytest.raises(UserError, match=rf"^OPENSWERL_WORKERS='{given}' is no positive integer.*$"):
        workers()


def test_a_process_ends_when_its_launcher_is_killed():
    worker = "import time; from openswerl.workers import end_with_launcher as e; e(); print(flush=True); time.sleep(99)"
    launcher = f"""
        import subprocess, sys
        worker = subprocess.Popen([sys.executable, "-c", {worker!r}], stdout=subprocess.PIPE)
        worker.stdout.readline()
        print(worker.pid, flush=True)
        worker.wait()
    """
    command = [sys.executable, "-c", textwrap.dedent(launcher)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        worker_process = psutil.Process(int(started.stdout.readline()))
        started.kill()
    gone, _ = psutil.wait_procs([worker_process], timeout=30)
    assert gone == [worker_process]
