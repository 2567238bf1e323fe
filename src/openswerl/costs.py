"""What a cell cost; scripts/dev/costs.py sums it up by stage."""

import resource
from pathlib import Path

from openswerl.config import Cell
from openswerl.files import write_json

WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def cpu_seconds() -> float:
    """Return the CPU seconds used so far by this process and the children it has waited for."""
    usages = [resource.getrusage(who) for who in WHO]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def write_costs(cell: Cell, wall: float, cpu: float) -> None:
    """Write what a cell cost, in seconds and MB, to `<run>/costs/`: apart from results, which hold no times.

    Snakemake's own benchmark files do not serve: it samples every 30 seconds, which can miss half of a minute's work,
    and takes a result made by hand for unfinished where the file is missing.
    """
    run = Path(cell.cfg.run_dir)
    peak = max(resource.getrusage(who).ru_maxrss for who in WHO)
    costs = {"cpu_seconds": round(cpu, 2), "wall_seconds": round(wall, 2), "peak_megabytes": round(peak / 1024)}
    write_json(run / "costs" / cell.folder.relative_to(run).with_suffix(".json"), costs)
