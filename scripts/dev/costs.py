"""Print what each stage of a run cost: python scripts/dev/costs.py [RUN]. The last line is JSON.

Reads `<run>/costs/`, where every stage writes its CPU seconds (its own and its children's), wall seconds, and peak
memory of one process. A job that was stopped and resumed counts from its last start; Snakemake itself is not counted.
"""

import json
import sys
from pathlib import Path

from openswerl.stages import STAGES

Costs = dict[str, dict[str, float]]


def read(run: Path) -> Costs:
    """Return {stage: {jobs, cpu_seconds, wall_seconds, peak_megabytes}} in the order of the graph."""
    found: Costs = {}
    for path in sorted((run / "costs").rglob("*.json")):
        parts = path.relative_to(run / "costs").with_suffix("").parts
        stage, cost = parts[1] if parts[0] == "data" else parts[0], json.loads(path.read_text())
        total = found.setdefault(stage, {"jobs": 0, "cpu_seconds": 0, "wall_seconds": 0, "peak_megabytes": 0})
        total["jobs"] += 1
        total["cpu_seconds"] = round(total["cpu_seconds"] + cost["cpu_seconds"], 2)
        total["wall_seconds"] = round(total["wall_seconds"] + cost["wall_seconds"], 2)
        total["peak_megabytes"] = max(total["peak_megabytes"], cost["peak_megabytes"])
    return {stage: found[stage] for stage in STAGES if stage in found}


def main() -> None:
    run = Path(sys.argv[1] if len(sys.argv) > 1 else "results/laptop")
    costs = read(run)
    if not costs:
        raise SystemExit(f"costs: {run}/costs holds nothing; run snakemake first")
    print(f"{'stage':<10}{'jobs':>6}{'CPU s':>10}{'wall s':>10}{'peak MB':>10}")
    for stage, cost in costs.items():
        print(f"{stage:<10}{cost['jobs']:>6}{cost['cpu_seconds']:>10.1f}", end="")
        print(f"{cost['wall_seconds']:>10.1f}{cost['peak_megabytes']:>10}")
    total = round(sum(cost["cpu_seconds"] for cost in costs.values()), 2)
    print(f"{'total':<16}{total:>10.1f}")
    print(json.dumps({"run": str(run), "cpu_seconds": total, "stages": costs}))


if __name__ == "__main__":
    main()
