"""A worker script of the tests as several processes, each of which leaves FOLDER/<rank>.pt."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

TESTS = Path(__file__).parent


def processes(worker: Path, folder: Path, count: int, *words: str) -> list[Any]:
    """Return what each of the processes saw; the worker gets the folder and the words."""
    command = [sys.executable, "-m", "openswerl.launch", str(count), str(worker), str(folder), *words]
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return [torch.load(folder / f"{rank}.pt", weights_only=False) for rank in range(count)]
