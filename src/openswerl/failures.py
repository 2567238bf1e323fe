"""What failed in a run of Snakemake, in the words of the jobs themselves: a line each, to stand last."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from openswerl.cluster.report import lines
from openswerl.errors import SAID

FAILED = re.compile(r"^Error in rule (?P<rule>\w+):$.*?^    log: (?P<log>.*?) \(check log", re.M | re.S)


def tell(logs: Sequence[str]) -> None:
    """Print a line for each failed job to stderr: of jobs on a cluster with the cluster's reason."""
    _print([*_tries(logs)] or last_words(logs))


def tell_tries(logs: Sequence[str]) -> None:
    """Print a line for each job on a cluster that is done, but not in its first try."""
    _print(_tries(logs))


def _tries(logs: Sequence[str]) -> list[str]:
    return [line for log in logs for line in lines(Path(log))]


def _print(told: Sequence[str]) -> None:
    if told:
        print("", *told, sep="\n", file=sys.stderr)


def last_words(logs: Sequence[str]) -> list[str]:
    """Return a line for each failed job of Snakemake's logs: its error, or the last line that it wrote."""
    text = "".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    found = {match["log"]: match["rule"] for match in FAILED.finditer(text)}
    return [f"{_error(Path(path), rule)} (log: {path})" for path, rule in found.items()]


def _error(path: Path, rule: str) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        return f"{rule}: failed, and its log cannot be read: {error.strerror}"
    said = [line for line in lines if SAID.match(line)]
    written = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else f"{rule}: failed; it last wrote: {written[-1] if written else 'nothing'}"
