"""The cost of each stage."""

from collections.abc import Mapping

from pandas import DataFrame

from openswerl.costs import Cost
from openswerl.report.tables.kinds import COUNT, SECONDS, TEXT, Columns, frame
from openswerl.report.tables.table import Table

NUMBERS: Columns = {"jobs": COUNT, "cpu_seconds": SECONDS, "wall_seconds": SECONDS, "peak_megabytes": COUNT}
COSTS: Columns = {"stage": TEXT, **NUMBERS}


def costs(found: Mapping[str, Cost]) -> DataFrame:
    """Return what the jobs of each stage cost, in the order of the graph; the peak is of one process."""
    return frame(COSTS, ([name, *(getattr(cost, column) for column in NUMBERS)] for name, cost in found.items()))


def cost_table(found: Mapping[str, Cost], scale: str) -> Table:
    """Return the cost of each stage, which belongs to no result: times are never equal twice."""
    caption = (
        "CPU seconds of the jobs and their children, without what the sandbox ran; the report itself is not in it."
    )
    return Table("costs", f"{scale} scale: costs of one machine", caption, COSTS, costs(found))
