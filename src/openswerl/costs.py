"""What a cell cost, and the sums by stage."""

import json
import resource
from dataclasses import dataclass
from pathlib import Path

from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.stages import STAGES

WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def cpu_seconds() -> float:
    """Return the CPU seconds used so far by this process and the children it has waited for."""
    usages = [resource.getrusage(who) for who in WHO]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@dataclass(frozen=True)
class Cost:
    """What the jobs of one stage cost; the peak is of one process."""

    jobs: int
    cpu_seconds: float
    wall_seconds: float
    peak_megabytes: int


def write_costs(cell: Cell, wall: float, cpu: float) -> None:
    """Write what a cell cost, in seconds and MB, to `<run>/costs/`: apart from results, which hold no times.

    Snakemake's own benchmark files do not serve: it samples every 30 seconds, which can miss half of a minute's work,
    and takes a result made by hand for unfinished where the file is missing.
    """
    run = Path(cell.cfg.run_dir)
    peak = max(resource.getrusage(who).ru_maxrss for who in WHO)
    costs = {"cpu_seconds": round(cpu, 2), "wall_seconds": round(wall, 2), "peak_megabytes": round(peak / 1024)}
    write_json(run / "costs" / cell.folder.relative_to(run).with_suffix(".json"), costs)


def by_stage(run: Path) -> dict[str, Cost]:
    """Return the cost of each stage below `run`, those of variants among them, in the order of the graph.

    A job that was stopped and resumed counts from its last start; Snakemake itself is not counted. Raises UserError if
    a record is damaged.
    """
    records: dict[str, list[dict[str, float]]] = {}
    for path in sorted((run / "costs").rglob("*.json")):
        records.setdefault(_stage(path.relative_to(run / "costs").with_suffix("").parts), []).append(_record(path))
    return {stage: _total(records[stage]) for stage in STAGES if stage in records}


def _stage(parts: tuple[str, ...]) -> str:
    """Return the stage of a record: the path grammar puts variants/<name>/ and data/ before it."""
    parts = parts[2:] if parts[0] == "variants" else parts
    return parts[1] if parts[0] == "data" else parts[0]


def _record(path: Path) -> dict[str, float]:
    try:
        found: dict[str, float] = json.loads(path.read_text())
        return {key: found[key] for key in ("cpu_seconds", "wall_seconds", "peak_megabytes")}
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} is no record of costs; delete it") from None


def _total(records: list[dict[str, float]]) -> Cost:
    cpu, wall = (round(sum(record[key] for record in records), 2) for key in ("cpu_seconds", "wall_seconds"))
    return Cost(len(records), cpu, wall, int(max(record["peak_megabytes"] for record in records)))
