"""Runs a command and ends it, with all that it started, when whoever asked for it ends: `python keeper.py COMMAND ...`.

The sign of that is the end of standard input, which comes even after a SIGKILL. It needs a process group of its own.
"""

import os
import signal
import subprocess
import sys
import threading


def main(command: list[str]) -> None:
    """Run the command; never returns."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=watch, daemon=True).start()
    child.wait()
    end()


def watch() -> None:
    """Wait for the end of standard input."""
    sys.stdin.buffer.read()
    end()


def end() -> None:
    """Kill this group, and so this process."""
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
