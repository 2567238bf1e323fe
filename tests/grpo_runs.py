"""Runs of a training stage in processes of their own: start, kill at a step, compare what they leave."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from openswerl.compose import ROOT
from openswerl.config import Cell
from openswerl.stage import run_cell

SMALL = (
    "scale=smoke", "grpo.steps=6", "grpo.prompts_per_step=4", "grpo.checkpoint_every=2", "grpo.plot_every=4",
    "tracking.wandb=disabled",
)  # fmt: skip
FILES = (
    "policy/model.safetensors", "policy/README.md", "metrics.jsonl", "rollouts.jsonl", "samples.jsonl",
    "alarms.jsonl", "quarantine.jsonl", "result.json",
)  # fmt: skip


def _signal(process: "subprocess.Popen[str]", number: signal.Signals) -> None:
    """Signal a process and all below it, whatever process groups they are in."""
    root = psutil.Process(process.pid)
    for one in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(number)


class Runs:
    """Folders with the data stages done, one for each run."""

    def __init__(self, folder: Path, kind: "type[Run] | None" = None) -> None:
        self.folder, self.made, self.kind = folder, folder / "made", kind or Run
        for stage in ("laptop", "crawl", "curate", "relate"):
            run_cell(Cell(stage, (*SMALL, f"results={self.made}")), f"openswerl.{stage}.run:run")

    def new(self, name: str, *overrides: str, processes: int = 1) -> "Run":
        """Return a run that has not begun."""
        results = self.folder / name
        shutil.copytree(self.made, results)
        return self.kind((*SMALL, *overrides, f"processes={processes}", f"results={results}"), processes)


class Run:
    """One training stage, grpo unless a subclass says otherwise, and its folder."""

    stage, files = "grpo", FILES

    def __init__(self, overrides: tuple[str, ...], processes: int) -> None:
        self.overrides, self.processes = overrides, processes
        cell = Cell(self.stage, overrides)
        self.out, self.scratch = cell.folder, cell.folder / f"work-{cell.digest}"

    def start(self) -> "subprocess.Popen[str]":
        """Start the stage in a process group of its own, under our launcher if it has several processes."""
        script = [str(ROOT / "scripts" / f"{self.stage}.py"), *self.overrides]
        launcher = ["-m", "openswerl.launch", str(self.processes)]
        command = [sys.executable, *(launcher if self.processes > 1 else []), *script]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.out.parents[3],
            env={**os.environ, "OPENSWERL_SNAKEMAKE": "1", "OMP_NUM_THREADS": "1"}, start_new_session=True,
        )  # fmt: skip

    def finish(self) -> str:
        """Run to the end; returns what was printed."""
        printed, _ = self.start().communicate()
        assert (self.out / "result.json").exists(), printed
        return printed

    def steps(self) -> int:
        """Return how many steps are on record."""
        path = self.scratch / "metrics.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def kill_when(self, condition: Callable[[], bool]) -> None:
        """Start, and SIGKILL everything as soon as the condition holds while the run stands still."""
        process = self.start()
        while True:
            _signal(process, signal.SIGSTOP)
            if condition():
                break
            _signal(process, signal.SIGCONT)
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.01)
        _signal(process, signal.SIGKILL)
        process.communicate()
        assert not (self.out / "result.json").exists()

    def differing(self, other: "Run") -> list[str]:
        """Return which files are not the same bytes."""
        return [name for name in self.files if (self.out / name).read_bytes() != (other.out / name).read_bytes()]
