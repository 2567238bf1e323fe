"""Print what each stage of a run cost: python scripts/dev/costs.py [RUN]. The last line is JSON.

Reads `<run>/costs/`, where every stage writes its CPU seconds (its own and its children's), wall seconds, and peak
memory of one process. A job that was stopped and resumed counts from its last start; Snakemake itself is not counted.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from openswerl.costs import by_stage
from openswerl.errors import UserError


def main() -> None:
    run = Path(sys.argv[1] if len(sys.argv) > 1 else "results/laptop")
    try:
        costs = by_stage(run)
    except UserError as error:
        raise SystemExit(f"costs: {error}") from None
    if not costs:
        raise SystemExit(f"costs: {run}/costs holds nothing; run snakemake first")
    print(f"{'stage':<10}{'jobs':>6}{'CPU s':>10}{'wall s':>10}{'peak MB':>10}")
    for stage, cost in costs.items():
        print(f"{stage:<10}{cost.jobs:>6}{cost.cpu_seconds:>10.1f}", end="")
        print(f"{cost.wall_seconds:>10.1f}{cost.peak_megabytes:>10}")
    total = round(sum(cost.cpu_seconds for cost in costs.values()), 2)
    print(f"{'total':<16}{total:>10.1f}")
    stages = {stage: asdict(cost) for stage, cost in costs.items()}
    print(json.dumps({"run": str(run), "cpu_seconds": total, "stages": stages}))


if __name__ == "__main__":
    main()
