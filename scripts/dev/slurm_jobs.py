"""Print the jobs of a run on Slurm: python scripts/dev/slurm_jobs.py [.snakemake/log/X.snakemake.log].

Reads Snakemake's log, the newest one if none is named. `wall s` is from a job's first submission to its seen end.
The last line is JSON.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from openswerl.cluster.jobs import Job, read
from openswerl.cluster.report import lines


def newest() -> Path:
    """Return the log of the last run in this folder."""
    logs = sorted(Path(".snakemake/log").glob("*.snakemake.log"))
    if not logs:
        raise SystemExit("slurm_jobs: .snakemake/log holds no log; run snakemake first, or name a log")
    return logs[-1]


def row(job: Job) -> str:
    slurm = ",".join(one.number or "-" for one in job.tries)
    wall = "" if job.seconds is None else f"{job.seconds:.0f}"
    return f"{job.name:<52}{job.state:<15}{wall:>7}  {slurm}"


def main() -> None:
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else newest()
    jobs = read(log.read_text(errors="replace"))
    if not jobs:
        raise SystemExit(f"slurm_jobs: {log} has no job that went to Slurm")
    print(f"{'job':<52}{'state':<15}{'wall s':>7}  Slurm jobs")
    print("\n".join(map(row, jobs)))
    for line in lines(log):
        print(line)
    starts = [job.started for job in jobs if job.started]
    ends = [job.ended for job in jobs if job.ended]
    wall = (max(ends) - min(starts)).total_seconds() if starts and ends else None
    states = dict(Counter(job.state for job in jobs))
    print(
        json.dumps({"jobs": len(jobs), "tries": sum(len(job.tries) for job in jobs), "states": states, "wall_s": wall})
    )


if __name__ == "__main__":
    main()
