"""Benchmarks of training: the GRPO step, then the reward. python bench/train.py; last line JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PARTS = ("train_grpo.py", "train_reward.py")


def run(part: str) -> dict[str, Any]:
    """Run a part in a fresh process, show what it prints, and return its last line."""
    command = [sys.executable, str(Path(__file__).with_name(part))]
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        raise SystemExit(f"{part} failed")
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def main() -> None:
    found: dict[str, Any] = {}
    for part in PARTS:
        found |= run(part)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
