"""What failed in a run of Snakemake, in the words of the jobs themselves: a line each, to stand last."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from openswerl.cluster.jobs import read
from openswerl.cluster.report import lines
from openswerl.errors import SAID

FAILED = re.compile(r"^Error in rule (?P<rule>\w+):$.*?^    log: (?P<log>.*?) \(check log", re.M | re.S)


def tell(logs: Sequence[str]) -> None:
    """Print a line for each failed job to stderr: of jobs on a cluster with the cluster's reason."""
    told = {job.log for log in logs for job in read(Path(log).read_text(errors="replace"))}
    _print([*_tries(logs), *(line for log, line in _last_words(logs) if log not in told)])


def tell_tries(logs: Sequence[str]) -> None:
    """Print a line for each job on a cluster that is done, but not in its first try."""
    _print(_tries(logs))


def _tries(logs: Sequence[str]) -> list[str]:
    return [line for log in logs for line in lines(Path(log))]


def _print(told: Sequence[str]) -> None:
    if told:
        print("", *told, sep="\n", file=sys.stderr)


def _last_words(logs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the log of each failed job, and its line; of a job on a cluster the cluster's own log comes after it."""
    text = "".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    found = {match["log"].partition(", ")[0]: match["rule"] for match in FAILED.finditer(text)}
    for path, rule in found.items():
        yield path, f"{_error(Path(path), rule)} (log: {path})"


def _error(path: Path, rule: str) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        return f"{rule}: failed, and its log cannot be read: {error.strerror}"
    said = [line for line in lines if SAID.match(line)]  # first the stage's own
    written = [line.strip() for line in lines if line.strip()]
    if not written:
        return f"{rule}: failed, and its log is empty: killed, or a full disk?"
    return said[0] if said else f"{rule}: failed; it last wrote: {written[-1]}"
