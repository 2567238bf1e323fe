"""The host's end of runner.py: one sandbox, many jobs; a job that takes the sandbox down gets a second one alone."""

import contextlib
import json
import os
import select
import tempfile
import time
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.sandbox import isolation

RUNNER = Path(__file__).with_name("runner.py")
START_S = 60
GRACE_S = 10
Job = dict[str, Any]


class Worker:
    """Starts a sandbox on the first job and again whenever one was lost. Use as a context manager."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.started = 0
        self._session: _Session | None = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, job: Job) -> Job:
        """Return the runner's answer; state "runner_lost" if the job ended two sandboxes, the second one its own."""
        answer = self._try(job)
        if answer is None:
            answer = self._try(job)
        return answer or {"state": "runner_lost", "code": None, "output": ""}

    def _try(self, job: Job) -> Job | None:
        if self._session is None:
            self._session = _Session(self.kind)
            self.started += 1
        answer = self._session.ask(job)
        if answer is None or not answer["clean"]:
            self.close()
        return answer

    def close(self) -> None:
        """End the sandbox; the next job starts another."""
        if self._session is not None:
            self._session.close()
            self._session = None


class _Session:
    """One started sandbox with a runner that has said that it is ready; `close` kills all that is left in it."""

    def __init__(self, kind: str) -> None:
        with contextlib.ExitStack() as stack:
            scratch = tempfile.TemporaryDirectory(prefix="openswerl-box-", ignore_cleanup_errors=True)
            folder = Path(stack.enter_context(scratch)).resolve()
            errors = stack.enter_context(tempfile.TemporaryFile())
            self._process = isolation.start(kind, RUNNER, folder, isolation.shared_folders(kind), errors)
            stack.callback(isolation.stop, self._process)
            self._buffer = b""
            if self._read_line(START_S) is None:
                message = isolation.last_error(errors)
                raise UserError(f"the test runner does not start in the {kind} sandbox: {message}")
            self.close = stack.pop_all().close

    def ask(self, job: Job) -> Job | None:
        """Send a job and return its answer; None if the runner died or is late."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self._read_line(job["timeout_s"] + GRACE_S)
        return None if line is None else json.loads(line)

    def _read_line(self, seconds: float) -> bytes | None:
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line
