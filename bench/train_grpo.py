"""Our GRPO step against our padded loop and TRL's GRPOTrainer: python bench/train_grpo.py. Last line JSON.

All draw whole answers of the same length for the same prompts, score them for free, and make one update. Each engine
runs in a process of its own, one thread, A B C A B C; a ratio is of CPU seconds over all measured steps of both rounds.
TRL runs in the interpreter that OPENSWERL_ORACLE_PYTHON names, or in this one; without either it is left out.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from train_workload import SHAPES, Shape, make

HERE = Path(__file__).parent
ROUNDS = 2


def commands(folder: Path, shape: Shape) -> dict[str, list[str]]:
    """Return how to run each engine that is there."""
    ours = [sys.executable, str(HERE / "train_ours.py"), str(folder), shape.name]
    found = {"ours": [*ours, "packed"], "padded": [*ours, "padded"]}
    python = os.environ.get("OPENSWERL_ORACLE_PYTHON") or (sys.executable if find_spec("trl") else None)
    if python:
        found["trl"] = [python, str(HERE / "train_trl.py"), str(folder), shape.name, str(shape.steps)]
    return found


def run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(folder: Path, shape: Shape) -> dict[str, list[dict[str, Any]]]:
    """Return the rounds of each engine."""
    rounds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, command in commands(folder, shape).items():
            rounds[name].append(run(command))
            print(f"{shape.name} {name} {mean(rounds[name][-1:])}", flush=True)
    return rounds


def mean(rounds: list[dict[str, Any]]) -> dict[str, float]:
    """Return CPU seconds a step, as a whole and by phase."""
    steps = [step for one in rounds for step in one["steps"]]
    return {phase: round(sum(step[phase] for step in steps) / len(steps), 3) for phase in steps[0]}


def figures(shape: Shape, rounds: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return ratios, seconds and peaks under the names of the issue."""
    seconds = {name: mean(found) for name, found in rounds.items()}
    found: dict[str, Any] = {}
    for name in seconds.keys() - {"ours"}:
        found[f"grpo_vs_{name}_{shape.name}"] = round(seconds[name]["step"] / seconds["ours"]["step"], 2)
    found[f"cpu_s_per_step_{shape.name}"] = seconds
    found[f"peak_mb_{shape.name}"] = {name: max(one["peak_mb"] for one in several) for name, several in rounds.items()}
    return dict(sorted(found.items()))


def main() -> None:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        for shape in SHAPES.values():
            found |= figures(shape, measure(Path(name), shape))
    if not any("trl" in key for key in found):
        print("TRL is left out: neither OPENSWERL_ORACLE_PYTHON nor the extra oracle is there")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
