"""All data benchmarks, one after the other: python bench/data.py. The last line is one JSON with every figure."""

import json
import subprocess
import sys
from pathlib import Path

PARTS = ("data_reader", "data_aggregate", "data_curate")


def run(name: str) -> dict[str, float]:
    """Run one benchmark, show what it prints, and return its figures."""
    process = subprocess.Popen(
        [sys.executable, "-u", Path(__file__).with_name(f"{name}.py")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    last = ""
    for last in process.stdout:
        print(f"{name}: {last}", end="", flush=True)
    if process.wait():
        raise SystemExit(f"{name} failed")
    figures: dict[str, float] = json.loads(last)
    return figures


def main() -> None:
    figures: dict[str, float] = {}
    for name in PARTS:
        figures |= run(name)
    figures["scaling_1m_vs_500k"] = max(figures["aggregate_1m_vs_500k"], figures["curate_1m_vs_500k"])
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
