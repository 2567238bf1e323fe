"""The cost of each stage as a frame."""

from collections.abc import Mapping

from pandas import DataFrame

from openswerl.costs import Cost
from openswerl.report.tables.kinds import COUNT, SECONDS, TEXT, Columns, frame

NUMBERS: Columns = {"jobs": COUNT, "cpu_seconds": SECONDS, "wall_seconds": SECONDS, "peak_megabytes": COUNT}
COSTS: Columns = {"stage": TEXT, **NUMBERS}


def costs(found: Mapping[str, Cost]) -> DataFrame:
    """Return what the jobs of each stage cost, in the order of the graph; the peak is of one process."""
    return frame(COSTS, ([name, *(getattr(cost, column) for column in NUMBERS)] for name, cost in found.items()))
