"""Benchmarks of several parts: each runs in a process of its own, and its last line is a JSON document."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def run_parts(parts: Sequence[str]) -> dict[str, Any]:
    """Run scripts of this folder one after the other, show what they print, and return all figures."""
    return {key: value for part in parts for key, value in _run(part).items()}


def _run(part: str) -> dict[str, Any]:
    command = [sys.executable, "-u", str(Path(__file__).with_name(f"{part}.py"))]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for last in process.stdout or ():
            print(f"{part}: {last}", end="", flush=True)
    if process.returncode:
        raise SystemExit(f"{part} failed")
    figures: dict[str, Any] = json.loads(last)
    return figures
