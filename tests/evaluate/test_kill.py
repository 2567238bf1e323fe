"""The stage is killed after every step, and ends with the same report all the same."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from killing import kill_main

ROOT = Path(__file__).resolve().parents[2]
STEPS = ("generated", "mini: localised", "reproduction tests", "regression tests", "wrote the evidence", "graded")


def _command(stage: str, results: Path, *overrides: str) -> list[str]:
    return [sys.executable, str(ROOT / "scripts" / f"{stage}.py"), "scale=smoke", f"results={results}", *overrides]


def _finish(results: Path, policy: str) -> None:
    done = subprocess.run(_command("evaluate", results, f"policy={policy}"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _kill_after(results: Path, policy: str, step: str) -> None:
    """Start the stage and kill it when it tells of a step."""
    command = _command("evaluate", results, f"policy={policy}")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
    assert process.stdout is not None
    assert any(step in line for line in process.stdout), f"{step} was not reached"
    kill_main(process)


def _files(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return what a run leaves, but for clocks and counts of what it ran itself."""
    return {name: (folder / name).read_bytes() for name in names}


@pytest.mark.slow
def test_killed_after_each_step_the_stage_ends_with_the_same_files(tmp_path: Path) -> None:
    names = ("outcomes.jsonl", "predictions.jsonl", "metrics.jsonl", "mini/evidence.jsonl", "mini/predictions.jsonl")
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    for results in (undisturbed, disturbed):
        subprocess.run(_command("laptop", results), check=True, capture_output=True)
        for policy in ("gold", "none"):
            _finish(results, policy)
    _finish(undisturbed, "base")
    for step in STEPS:
        _kill_after(disturbed, "base", step)
    _finish(disturbed, "base")
    place = Path("smoke", "evaluate", "base", "seed0")
    assert _files(disturbed / place, names) == _files(undisturbed / place, names)
    assert not list((disturbed / place).glob("work-*"))
