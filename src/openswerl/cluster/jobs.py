"""What became of the jobs that Snakemake gave to Slurm, read from its log: `.snakemake/log/*.snakemake.log`."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

DATE = re.compile(r" *\[(\w{3} \w{3} +\d+ \d{2}:\d{2}:\d{2} \d{4})\]")
RULE = re.compile(r" *(?:local)?rule (\w+):$")
ERROR = re.compile(r"Error in rule \w+:$")
FIELD = re.compile(r" +(jobid|log|wildcards): (.*)$")
SUBMITTED = re.compile(r"Job (\S+) has been submitted with SLURM jobid (\d+) \(log: (.*)\)\.$")
FAILED = re.compile(r" +message: SLURM-job '(\d+)' failed.*SLURM status is: '(\w+)'")
REFUSED = re.compile(r" +message: SLURM sbatch failed\. The error message was '(.*?)'?\.?$")
FINISHED = re.compile(r"Finished jobid: (\S+) ")


@dataclass
class Try:
    """One Slurm job: its number, its own log, and its end as Snakemake saw it. `refusal`: why there is no job."""

    number: str
    log: Path | None
    state: str = "RUNNING"
    refusal: str = ""


@dataclass
class Job:
    """A job of the graph and its tries. `seconds`: from its first submission until its last end was seen."""

    rule: str
    log: str = ""
    wildcards: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    tries: list[Try] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The rule and its wildcards."""
        said = ", ".join(item for item in self.wildcards.split(", ") if not item.endswith("="))
        return f"{self.rule} ({said})" if said else self.rule

    @property
    def state(self) -> str:
        """The state of the last try."""
        return self.tries[-1].state

    @property
    def seconds(self) -> float | None:
        """The wall time in Slurm, its queue included; None without an end."""
        return (self.ended - self.started).total_seconds() if self.started and self.ended else None


class _Reader:
    """Reads a log line by line."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.now: datetime | None = None
        self.block: Job | None = None  # the rule whose fields are being read
        self.grouped: list[Job] = []  # those of the next group to be submitted
        self.refused = ""  # what sbatch said in the error that is being read, whose job comes next

    def line(self, line: str) -> None:
        if date := DATE.match(line):
            self.now = datetime.strptime(date[1], "%a %b %d %H:%M:%S %Y")
        if rule := RULE.match(line):
            self.block = Job(rule[1])
            if line.startswith(" "):
                self.grouped.append(self.block)
        elif ERROR.match(line):
            self.block, self.refused = None, ""
        elif self.block and (found := FIELD.match(line)):
            self._field(self.block, found[1], found[2])
        else:
            self._event(line)

    def _field(self, block: Job, key: str, value: str) -> None:
        if key == "jobid":
            known = self.jobs.setdefault(value, block)
            # a failed job's log, which Snakemake shows, has blocks too, with numbers of the Snakemake within the job
            self.block = known if known.log == block.log else None
            self.grouped = [known if job is block else job for job in self.grouped]
        else:
            setattr(block, key, value)

    def _event(self, line: str) -> None:
        if found := SUBMITTED.match(line):
            own = [self.jobs[found[1]]] if found[1] in self.jobs else self.grouped
            for job in own:
                job.tries.append(Try(found[2], Path(found[3])))
                job.started = job.started or self.now
            if own is self.grouped:
                self.grouped = []
        elif found := FAILED.match(line):
            self._end(found[1], found[2])
        elif found := REFUSED.match(line):
            self.refused = found[1]
        elif self.refused and (found := FIELD.match(line)) and found[1] == "jobid":
            if found[2] in self.jobs:
                self.jobs[found[2]].tries.append(Try("", None, "REFUSED", self.refused))
            self.refused = ""
        elif (found := FINISHED.match(line)) and found[1] in self.jobs and self.jobs[found[1]].tries:
            self._end(self.jobs[found[1]].tries[-1].number, "COMPLETED")

    def _end(self, number: str, state: str) -> None:
        for job in self.jobs.values():
            if job.tries and job.tries[-1].number == number:
                job.tries[-1].state, job.ended = state, self.now


def read(text: str) -> list[Job]:
    """Return the jobs of a Snakemake log that went to Slurm. Those of one group share their Slurm jobs."""
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    return [job for job in reader.jobs.values() if job.tries]
