"""Kill a run as the system does when memory is short: the main process alone."""

import signal
import subprocess

import psutil


def kill_main(process: "subprocess.Popen[bytes]") -> None:
    """Send SIGKILL to the main process; the processes that it started must end by themselves."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    left = psutil.wait_procs(children, timeout=30)[1]
    for child in left:
        child.kill()
    assert left == []
