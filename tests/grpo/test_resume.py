"""kill -9 during grpo and run again: the weights are those of an undisturbed run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openswerl.compose import ROOT
from openswerl.config import Cell
from openswerl.files import read_jsonl
from openswerl.stage import run_cell

OVERRIDES = ("scale=smoke", "grpo.steps=6", "grpo.prompts_per_step=4", "grpo.checkpoint_every=2")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Two results folders with the data stages done."""
    os.environ["OPENSWERL_SNAKEMAKE"] = "1"
    folders = [tmp_path_factory.mktemp("results") for _ in range(2)]
    for folder in folders:
        for stage in ("laptop", "crawl", "curate", "relate"):
            run_cell(Cell(stage, (*OVERRIDES, f"results={folder}")), f"openswerl.{stage}.run:run")
    yield folders
    del os.environ["OPENSWERL_SNAKEMAKE"]


def start(results: Path) -> subprocess.Popen:
    command = [sys.executable, str(ROOT / "scripts" / "grpo.py"), *OVERRIDES, f"results={results}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=results)


@pytest.mark.slow
def test_killed_run_ends_in_the_same_bytes(prepared):
    undisturbed, killed = prepared
    done, _ = start(undisturbed).communicate()
    cell = Cell("grpo", (*OVERRIDES, f"results={killed}"))
    process = start(killed)
    metrics = cell.folder / f"work-{cell.digest}" / "metrics.jsonl"
    while len(read_jsonl(metrics)) < 5 and process.poll() is None:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (cell.folder / "result.json").exists()
    printed, _ = start(killed).communicate()
    assert "resuming after step 4" in printed
    for name in ("policy/model.safetensors", "metrics.jsonl", "rollouts.jsonl", "result.json"):
        ours, theirs = cell.folder / name, undisturbed / cell.folder.relative_to(killed) / name
        assert ours.read_bytes() == theirs.read_bytes(), (name, done, printed)
    base = ROOT / "src" / "openswerl" / "laptop" / "base" / "model.safetensors"
    assert (cell.folder / "policy" / "model.safetensors").read_bytes() != base.read_bytes()
