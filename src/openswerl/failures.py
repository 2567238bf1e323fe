"""What failed in a run of Snakemake, in the words of the jobs themselves: a line each, to stand last."""

import re
from collections.abc import Sequence
from pathlib import Path

FAILED = re.compile(r"^Error in rule (?P<rule>\w+):$.*?^    log: (?P<log>.*?) \(check log", re.M | re.S)
SAID = re.compile(r"^\w+: error[^:]*: .*")


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
