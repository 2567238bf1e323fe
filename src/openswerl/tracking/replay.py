"""Tell a mirror of a run from the files that it left: what the stage itself would have told, in the same order."""

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openswerl.files import read_jsonl

if TYPE_CHECKING:
    from openswerl.tracking.mirror import Mirror

TABLES = ("demonstrations", "outcomes")  # of sft and evaluate, told with their last step
SHOWN = 50


def replay(folder: Path, mirror: "Mirror") -> None:
    """Tell what metrics.jsonl, timings.jsonl, samples.jsonl, alarms.jsonl, plots/ and TABLES hold; any may be missing.

    Alarms are told again: a mirror that has a step already drops what is of it.
    """
    rows = read_jsonl(folder / "metrics.jsonl")
    timings, samples, alarms = (_by_step(folder / f"{name}.jsonl") for name in ("timings", "samples", "alarms"))
    plots = {int(path.stem.rpartition("-")[2]) - 1: path for path in (folder / "plots").glob("rewards-*.png")}
    for row in rows:
        step = row["step"]
        mirror.log({**row, **{key: value for timing in timings[step] for key, value in timing.items()}})
        if step in plots:
            mirror.picture(step, "rewards", plots[step])
        if samples[step]:
            mirror.table(step, "samples", samples[step])
        for alarm in alarms[step]:
            mirror.alert(step, alarm["alarm"], alarm["message"])
    for name in TABLES:
        if rows and (table := read_jsonl(folder / f"{name}.jsonl")):
            mirror.table(rows[-1]["step"], name, table[:SHOWN])


def _by_step(path: Path) -> defaultdict[int, list[dict[str, Any]]]:
    grouped: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in read_jsonl(path):
        grouped[row["step"]].append(row)
    return grouped
