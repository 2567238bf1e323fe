"""One line for each job on a cluster that failed or needed another try: which, why, where it is written, what to do."""

import re
from collections.abc import Iterator
from pathlib import Path

from openswerl.cluster.jobs import Job, Try, read
from openswerl.errors import SAID

# What Slurm writes into a job's log as it ends it: the first that is found counts.
CAUSES = (
    (re.compile(r"exceeded (?:job )?memory limit|oom.kill", re.I), "MEMORY", "raise resources.{rule}.mem_mb"),
    (re.compile(r"DUE TO TIME LIMIT"), "TIME LIMIT", "raise resources.{rule}.runtime"),
    (re.compile(r"CANCELLED AT"), "CANCELLED", "run the same command again"),
)
STATES = {"OUT_OF_MEMORY": CAUSES[0], "TIMEOUT": CAUSES[1], "CANCELLED": CAUSES[2]}


def lines(snakemake_log: Path) -> Iterator[str]:
    """Yield a line for each job of a run that failed for good, or completed after a failure."""
    for job in read(snakemake_log.read_text(errors="replace")):
        bad = [one for one in job.tries if one.state not in ("COMPLETED", "RUNNING")]
        if bad:
            yield _line(job, bad[-1])


def _line(job: Job, last: Try) -> str:
    cause, advice = why(job, last)
    what = f"Slurm job {last.number}" if last.number else "refused by sbatch"
    if job.state == "COMPLETED":
        return f"cluster: {job.name}: {what}: {cause}; done in try {len(job.tries)} as Slurm job {job.tries[-1].number}"
    return f"cluster: {job.name}: {what}: {cause}, try {len(job.tries)}; see {job.log or last.log}; {advice}"


def why(job: Job, last: Try) -> tuple[str, str]:
    """Return why a try ended, and what to do: Slurm's own reason before what the stage says, before the bare state."""
    if last.refusal:
        return last.refusal, "mend the profile, or what conf/resources asks for"
    text = _text(last.log)
    found = next((cause for cause in CAUSES if cause[0].search(text)), STATES.get(last.state))
    if found:
        return found[1], found[2].format(rule=job.rule)
    said = SAID.findall(text + "\n" + _text(Path(job.log) if job.log else None))
    return (said[0], "mend that and run again") if said else (last.state, f"see {last.log} too")


def _text(path: Path | None) -> str:
    try:
        return path.read_text(errors="replace") if path else ""
    except OSError:
        return ""
