"""The backend that runs nothing: it looks up what the tests printed when somebody else ran them."""

import re
from collections.abc import Callable

from openswerl.errors import UserError
from openswerl.evaluate.backends.scripts import tested
from openswerl.evaluate.execution.actions import Action, Grading
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import START
from openswerl.evaluate.views import TaskView

OLD_START = "\nTest Script:"
APPLY_FAILED, TIMED_OUT = ">>>>> Patch Apply Failed", ">>>>> Tests Timed Out"
TOO_LATE = re.compile(r"\n\nTimeout error: \d+ seconds exceeded\.?\s*\Z")


class ReplayBackend:
    """Answers gradings from recorded logs: `recorded` returns that of an instance and a patch, None if it has none."""

    kind = "replay"

    def __init__(self, recorded: Callable[[str, str], str | None]) -> None:
        self.recorded = recorded

    def environment(self, task: TaskView) -> str:
        """Return the same text for all: what decides is the log."""
        return self.kind

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Return the recorded execution. Raises UserError where there is no log of it, or for another action."""
        if not isinstance(action, Grading):
            raise UserError("evaluate.backend=replay has logs of the hidden tests alone; it cannot run others")
        log = self.recorded(task.instance_id, patch)
        if log is None:
            raise UserError(f"{task.instance_id}: there is no recorded log of this patch; run it in another backend")
        return read_log(log)

    def close(self) -> None:
        """Do nothing."""


def read_output(text: str) -> Execution:
    """Return the execution that the output of a row's script tells of, once that was started.

    Only the marks around the tests and the harness's own line on a time-out count: code of the patch, such as a
    setup.py, runs before the tests and may print anything. So a script that did not get to its last mark is
    runner_lost, which is judged, and never infrastructure.
    """
    if TOO_LATE.search(text):
        return Execution("timeout", None, text)
    found = tested(text)
    return Execution("runner_lost", None, text) if found is None else Execution("exited", found.code, found.output)


def read_log(text: str) -> Execution:
    """Return the execution that a published log tells of: test_output.txt, or a whole log of the harness before 2.

    The latter has no marks around the tests and is read from its line `Test Script:`; its exit codes are not used, as
    the grading of its time did not. A log in which no test command was started is infrastructure. Where one was, no
    word of the log can make it that: the tests may have printed it.
    """
    if START in text or TOO_LATE.search(text):
        return read_output(text)
    if APPLY_FAILED in text:
        return Execution("apply_failed", None, text)
    if TIMED_OUT in text:
        return Execution("timeout", None, text)
    _, script, output = text.partition(OLD_START)
    return Execution("exited", None, output) if script else Execution("infrastructure", None, text)
