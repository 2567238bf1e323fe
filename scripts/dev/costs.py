"""Print what each stage of a run cost: python scripts/dev/costs.py [RUN].

CPU seconds are the stages' own count (`<run>/benchmarks/**/*.json`); wall time and memory are Snakemake's (`*.tsv`), for
the jobs that it ran. Snakemake samples CPU time as well, but only every 30 seconds once a job is 15 seconds old, so its
figure can be short by half. A job that was stopped and resumed counts from its last start. The last line is JSON.
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

from openswerl.config import STAGES

Costs = dict[str, dict[str, float]]


def read(run: Path) -> Costs:
    """Return {stage: {jobs, cpu_seconds, wall_seconds, peak_megabytes}} in the order of the graph."""
    found: Costs = defaultdict(lambda: dict.fromkeys(("jobs", "cpu_seconds", "wall_seconds", "peak_megabytes"), 0.0))
    for path in sorted((run / "benchmarks").rglob("*.json")):
        cost = found[stage_of(path.relative_to(run / "benchmarks"))]
        cost["jobs"] += 1
        cost["cpu_seconds"] += json.loads(path.read_text())["cpu_seconds"]
    for path in sorted((run / "benchmarks").rglob("*.tsv")):
        cost = found[stage_of(path.relative_to(run / "benchmarks"))]
        with path.open() as handle:
            row = next(csv.DictReader(handle, delimiter="\t"))
        cost["wall_seconds"] += float(row["s"])
        cost["peak_megabytes"] = max(cost["peak_megabytes"], float(row["max_rss"].replace("NA", "0")))
    return {stage: found[stage] for stage in STAGES if stage in found}


def stage_of(path: Path) -> str:
    """Return the stage of a file below benchmarks/."""
    return path.parts[1] if path.parts[0] == "data" else path.parts[0]


def main() -> None:
    run = Path(sys.argv[1] if len(sys.argv) > 1 else "results/laptop")
    costs = read(run)
    if not costs:
        raise SystemExit(f"costs: {run}/benchmarks holds nothing; run snakemake first")
    print(f"{'stage':<10}{'jobs':>6}{'CPU s':>10}{'wall s':>10}{'peak MB':>10}")
    for stage, cost in costs.items():
        print(f"{stage:<10}{cost['jobs']:>6.0f}{cost['cpu_seconds']:>10.1f}", end="")
        print(f"{cost['wall_seconds']:>10.1f}{cost['peak_megabytes']:>10.0f}")
    total = sum(cost["cpu_seconds"] for cost in costs.values())
    print(f"{'total':<16}{total:>10.1f}")
    print(json.dumps({"run": str(run), "cpu_seconds": round(total, 1), "stages": costs}))


if __name__ == "__main__":
    main()
