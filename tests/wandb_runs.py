"""Finished results to mirror, the environment of a process that talks to W&B, and W&B's own reading of offline runs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from openswerl.compose import ROOT
from openswerl.config import Cell
from openswerl.files import write_jsonl
from openswerl.result_files import write_result

KEY = "canary5b1d09c2" * 3
SMOKE = ("scale=smoke", "grid.baselines=[base,sft]", "grid.reward=[continuous]")
METRICS = (
    {"step": 0, "loss": 1.0, "reasons": {"timeout": 2}, "kl": 0.5},
    {"step": 1, "loss": 0.25, "reasons": {"missing_tag": 1}, "kl": None, "nested": {"a": {"b": 3}}},
)


def environment(home: Path, url: str = "", **more: str) -> dict[str, str]:
    """Variables of a process with a home of its own; with a key if there is a server, else without any login."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
    login = {"WANDB_BASE_URL": url, "WANDB_API_KEY": KEY} if url else {}
    tests = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return {**kept, **login, "HOME": str(home), "PYTHONPATH": tests, "OPENSWERL_SNAKEMAKE": "1", **more}


def script(name: str, home: Path, *overrides: str, url: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the project; its home must not exist yet or be its own."""
    home.mkdir(exist_ok=True)
    command = [sys.executable, str(ROOT / "scripts" / f"{name}.py"), *overrides]
    return subprocess.run(command, cwd=home, env=environment(home, url, **more), capture_output=True, text=True)


def finish(cell: Cell, metrics: Iterable[dict[str, Any]] = (), **result: Any) -> None:
    """Write a cell's result, and its metrics if it has some."""
    if rows := list(metrics):
        write_jsonl(cell.folder / "metrics.jsonl", rows)
    write_result(cell.folder, {"digest": cell.digest, "stage": cell.stage, **result})


def inspect(folder: Path) -> dict[str, Any]:
    """Return the state, config and summary of the one offline run in a folder, as W&B's own tool reads it."""
    (run,) = (folder / "wandb").glob("offline-run-*")
    return json.loads(_leet("--summary", str(run)))


def records(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Return all records of a kind in the one offline run in a folder."""
    (run,) = (folder / "wandb").glob("offline-run-*")
    found = map(json.loads, _leet(str(run)).splitlines())
    return [record[kind] for record in found if record["type"] == kind]


def _leet(*arguments: str) -> str:
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def last_row(path: Path) -> dict[str, Any]:
    """Return the numbers and texts of the last row of metrics.jsonl as {"name/part": value}, no null, no spread."""
    row = json.loads(path.read_text().splitlines()[-1])
    del row["step"]
    return dict(_names(row, ()))


def _names(row: Mapping[str, Any], path: tuple[str, ...]) -> Iterable[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, dict) and "counts" not in value:
            yield from _names(value, (*path, key))
        elif isinstance(value, int | float | str):
            yield "/".join((*path, key)), value


def own_metrics(summary: Mapping[str, Any], timings: Path | None = None) -> dict[str, Any]:
    """Return what a summary says of metrics: nothing of W&B's own, of the result, of timings.jsonl, no media."""
    apart = last_row(timings) if timings else {}
    named = {key: it for key, it in summary.items() if not key.startswith(("_", "result/")) and key not in apart}
    return {key: it for key, it in named.items() if not isinstance(it, dict)}


RUN = "import sys; from openswerl.config import Cell; from openswerl.stage import one_line, run_cell\n"
RUN += "with one_line(sys.argv[1]): run_cell(Cell(sys.argv[1], tuple(sys.argv[3:])), 'tracking.stages:' + sys.argv[2])"


def run_stage(cell: Cell, work: str, home: Path, url: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run a cell with a work function of tracking/stages.py in a process of its own; what it reads is made up."""
    for before in cell.before:
        finish(before)
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-c", RUN, cell.stage, work, *cell.overrides]
    return subprocess.run(command, env=environment(home, url, **more), capture_output=True, text=True)
