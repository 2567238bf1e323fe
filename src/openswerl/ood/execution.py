"""Programs with a model's code in them, in the sandboxes of the evaluate stage."""

import hashlib
import re
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import as_bytes
from openswerl.evaluate.sandbox import isolation, jail
from openswerl.evaluate.sandbox.watch import Limits, watch
from openswerl.evaluate.sandbox.worker import Worker
from openswerl.ood.suite import Program

ERROR = re.compile(r"(?:\w+\.)*(\w+)(?::|$)")
STARTS = "import os, runpy; os.chdir('/box'); runpy.run_path('/openswerl/program.py', run_name='__main__')"
PREFIXES = "import sys; print(sys.prefix); print(sys.base_prefix)"
MACHINE = ("infrastructure", "host_memory")  # how a program can end that says nothing about it
WHOLE = """\
__import__("sys").modules["answer"] = __import__("sys").modules[__name__]
__name__ = "answer"
{setup}
__import__("os").write(1, b"\\nready {mark}\\n")
exec(compile({source!r}, "answer.py", "exec"))
__import__("os").write(1, b"\\nright {mark}\\n")
"""


class Verdict(NamedTuple):
    """`status`: correct, wrong, timeout, stopped (by a limit), or error (nothing is known of the answer)."""

    status: str
    reason: str | None = None


class Ended(NamedTuple):
    """How a program ended, and what it printed."""

    state: str
    code: int | None
    output: str


Start = Callable[[bytes], Ended]


class Sandboxes:
    """Runs programs, each afresh; a suite may name a Python of its own. Use as a context manager."""

    def __init__(self, kind: str, timeout_s: int) -> None:
        self.kind, self.timeout_s = kind, timeout_s
        self._stack = ExitStack()
        self._starts: dict[str | None, Start] = {}

    def __enter__(self) -> "Sandboxes":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, python: str | None) -> None:
        """Prepare to run under this Python, ours if None. Raises UserError where that cannot be."""
        if not self._starts:
            isolation.require(self.kind)
        if python not in self._starts:
            self._starts[python] = self._ours() if python is None else _other(self.kind, python, self.timeout_s)

    def run(self, program: Program, python: str | None) -> Verdict:
        """Run a program. Marks tell whether it got past its setup, and to its end: an exit code could be anyone's."""
        mark = hashlib.sha256(as_bytes(program.setup + program.source)).hexdigest()[:20]
        source = WHOLE.format(setup=program.setup, source=program.source, mark=mark)
        return _verdict(self._starts[python](as_bytes(source)), mark)

    def _ours(self) -> Start:
        worker = self._stack.enter_context(Worker(self.kind))
        job = {"tree": {}, "timeout_s": self.timeout_s, "own_interpreter": False}

        def start(source: bytes) -> Ended:
            answer = worker.run({**job, "program": source.decode("latin-1")})
            return Ended(answer["state"], answer["code"], answer["output"])

        return start


def _verdict(ended: Ended, mark: str) -> Verdict:
    lines = ended.output.strip().splitlines()
    name = match[1] if lines and (match := ERROR.match(lines[-1])) else "exit"
    if ended.state in MACHINE or (ended.state != "runner_lost" and f"ready {mark}" not in lines):
        return Verdict("error", "infrastructure")
    if ended.state == "timeout":
        return Verdict("timeout", "time_limit")
    if ended.state != "exited":
        return Verdict("stopped", ended.state)
    if ended.code == 0 and f"right {mark}" in lines:
        return Verdict("correct")
    return Verdict("wrong", name if ended.code == 1 else "exit")


def _other(kind: str, python: str, timeout_s: int) -> Start:
    """Return what runs a program under a virtual environment, which it sees read-only. Raises UserError."""
    if kind != "bubblewrap":
        raise UserError(f"ood.sandbox={kind} cannot hold another Python ({python}); choose ood.sandbox=bubblewrap")
    try:
        asked = subprocess.run([python, "-I", "-c", PREFIXES], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise UserError(f"{python} is no Python that starts; make the environment, or correct python") from None
    prefixes = [Path(line) for line in asked.stdout.split("\n") if line and not line.startswith("/usr")]
    limits = Limits(timeout_s)
    seen: dict[str, Any] = {
        "read_only": {str(prefix): prefix for prefix in prefixes},
        "memory": {"/box": limits.disk_bytes, "/tmp": limits.disk_bytes},
    }
    command = [str(Path(python).absolute()), "-I", "-c", STARTS]

    def start(source: bytes) -> Ended:
        view = jail.View(**seen, texts={"/openswerl/program.py": source})
        with jail.started(view, command, stdout=subprocess.PIPE) as process:
            ended = watch(process, limits)
        return Ended(ended.state, ended.code, ended.output.decode("utf-8", "replace"))

    return start
