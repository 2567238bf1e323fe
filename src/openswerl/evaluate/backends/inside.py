"""What runs inside an official image: the patch on /testbed, then one action; and what its output tells."""

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from openswerl.evaluate.backends.replay import read_output
from openswerl.evaluate.backends.scripts import ACTIVATE, PROGRAM
from openswerl.evaluate.execution.actions import Action, Grading, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.trees import as_bytes
from openswerl.evaluate.harness.evalscript import here_document
from openswerl.evaluate.harness.official import official_script, repaired
from openswerl.evaluate.harness.specs import spec_of
from openswerl.evaluate.sandbox.watch import Ended, Limits, watch
from openswerl.evaluate.views import TaskView

APPLY = ("git apply --verbose", "patch --batch --forward --fuzz=5 -p1 -i")
UNDO = "{ git checkout -q -- . ; git clean -fdq; }"


class Told(NamedTuple):
    """The words by which a script tells, before any code of the patch runs, how far it got: nobody can guess them."""

    started: str
    refused: str


def told() -> Told:
    """Return new words."""
    word = secrets.token_hex(16)
    return Told(f"openswerl-{word}-started", f"openswerl-{word}-refused")


def script(task: TaskView, patch: str, action: Action, words: Told) -> str:
    """Return the bash script of one run. Raises UserError for a suite of a repository whose test command is unknown."""
    lines = ["set -u", "cd /testbed || exit"]
    if patch:
        lines += [here_document("cat >/tmp/patch.diff", repaired(patch)), _apply(words)]
    return "\n".join([*lines, f"echo {words.started}", *_body(task, action)]) + "\n"


def _apply(words: Told) -> str:
    first, second = (f"{command} /tmp/patch.diff 2>&1" for command in APPLY)
    return f"{first} || {{ {UNDO}; {second}; }} || {{ echo {words.refused}; exit; }}"


def _body(task: TaskView, action: Action) -> list[str]:
    if isinstance(action, Grading):
        script = here_document("cat >/tmp/eval.sh", official_script(action.gold.row))
        return [script, "exec bash /tmp/eval.sh </dev/null 2>&1"]
    enter = [f"source {ACTIVATE}", "conda activate testbed"]
    if isinstance(action, Suite):
        spec = spec_of(task.repo, task.version)
        return [*enter, *spec.setup, spec.reinstall, f"{spec.command(action.files)} </dev/null 2>&1"]
    return [*enter, here_document(f"cat >{PROGRAM}", action.source), f"exec python {PROGRAM} </dev/null 2>&1"]


def fed(command: Sequence[str], environment: Mapping[str, str], script: str, limits: Limits) -> Ended:
    """Run a command with a script as its standard input until it ends or breaks a limit; nothing of it stays here."""
    with tempfile.TemporaryFile() as file:
        file.write(as_bytes(script))
        file.seek(0)
        process = subprocess.Popen(
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
            start_new_session=True,
        )  # fmt: skip
        try:
            return watch(process, limits)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def read(ended: Ended, words: Told, action: Action) -> Execution:
    """Return what a run came to. One that did not get to its action is a broken image or engine.

    From there on, nothing but the machine's memory is infrastructure.
    """
    text = ended.output.decode("utf-8", "replace")
    before, started, output = text.partition(f"{words.started}\n")
    if words.refused in before:
        return Execution("apply_failed", None, before.partition(words.refused)[0])
    if not started:
        return Execution("infrastructure", None, before)
    if ended.state == "host_memory":
        return Execution("infrastructure", None, "the machine ran out of memory")
    if isinstance(action, Grading) and ended.state == "exited":
        return read_output(output)
    return Execution(ended.state, ended.code, output)
