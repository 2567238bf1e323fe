"""Many gradings in one call of the official `run_evaluation`, in its own process and folder."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openswerl.errors import last_line
from openswerl.evaluate.backends.engine import Engine
from openswerl.evaluate.backends.replay import APPLY_FAILED, read_output
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.official import LOGS, ROWS, prediction, run_id
from openswerl.evaluate.views import GoldView
from openswerl.files import write_jsonl, write_text

MODEL = "openswerl"
SLACK_S = 900  # of each instance: its image, its container, and their end
PREDICTIONS, SAID = "predictions.jsonl", "run_evaluation.log"


@dataclass(frozen=True)
class Shard:
    """One patch for each of some instances, none empty: the harness does not run empty ones.

    Each `attempt` has a folder of its own, as the harness runs nothing of which a folder has a report.
    """

    golds: Sequence[GoldView]
    patches: Sequence[str]
    attempt: int = 0

    @property
    def predictions(self) -> list[dict[str, str]]:
        """The rows of the file of predictions."""
        pairs = zip(self.golds, self.patches, strict=True)
        return [prediction(gold.instance_id, MODEL, patch) for gold, patch in pairs]

    @property
    def name(self) -> str:
        """The run id: a hash of predictions and rows, and the attempt; a stopped shard goes on where it was."""
        return f"{run_id(self.predictions, self.golds)}-{self.attempt}"


def evaluation_command(name: str, workers: int, timeout_s: int) -> list[str]:
    """Return the call of the official harness, to be made in the shard's folder."""
    words = ["--dataset_name", ROWS, "--split", "test", "--predictions_path", PREDICTIONS, "--run_id", name]
    words += ["--max_workers", str(workers), "--timeout", str(timeout_s), "--report_dir", "."]
    return [sys.executable, "-m", "swebench.harness.run_evaluation", *words]


def run_shard(shard: Shard, engine: Engine, folder: Path, workers: int, timeout_s: int) -> list[Execution]:
    """Run a shard below `folder` and return its executions, in order.

    Where the harness leaves neither test output nor a refused patch, the execution is infrastructure. The whole call
    has a limit, as the harness can hang for hours.
    """
    place = folder / shard.name
    write_jsonl(place / ROWS, [gold.row for gold in shard.golds])
    write_jsonl(place / PREDICTIONS, shard.predictions)
    limit_s = -(-len(shard.golds) // workers) * (timeout_s + SLACK_S)
    said = _call(evaluation_command(shard.name, workers, timeout_s), place, _environment(engine, place), limit_s)
    logs = place / LOGS / shard.name / MODEL
    return [read_instance(logs / gold.instance_id, said) for gold in shard.golds]


def read_instance(place: Path, said: str) -> Execution:
    """Return the execution that the harness left in an instance's folder; `said` is what it said in its last line."""
    story = _text(place / "run_instance.log")
    if (place / "test_output.txt").exists():
        return read_output(_text(place / "test_output.txt"))
    if APPLY_FAILED in story:
        return Execution("apply_failed", None, story)
    return Execution("infrastructure", None, story or said)


def _call(command: list[str], place: Path, environment: dict[str, str], limit_s: float) -> str:
    """Run the harness, kill what it started if it is late, and return its last line."""
    with (place / SAID).open("w") as log:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        process = subprocess.Popen(command, cwd=place, env=environment, start_new_session=True, **streams)
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            log.write(f"\nthe harness took over {limit_s} s\n")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return last_line(_text(place / SAID))


def _environment(engine: Engine, place: Path) -> dict[str, str]:
    """Return the environment of the harness, which stops containers by a program that it calls docker."""
    environment = engine.environment()
    if engine.program == "docker":
        return environment
    shim = place / "bin" / "docker"
    write_text(shim, f'#!/bin/sh\nexec {engine.program} "$@"\n')
    shim.chmod(0o755)
    return {**environment, "PATH": f"{shim.parent.resolve()}:{environment.get('PATH', os.defpath)}"}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
