"""Columns that several tables have, and the cells below them. Rates lie between 0 and 1."""

from openswerl.report import paper
from openswerl.report.paired import Difference
from openswerl.report.paper import PaperRow
from openswerl.report.rates import Rate
from openswerl.report.tables.kinds import COUNT, DIFFERENCE, RATE, TEXT, Columns, P

Cells = list[object]
KEY: Columns = {"policy": TEXT, "split": TEXT, "seed": TEXT}
"""A seed of "all" averages the seeds of each instance first."""
COUNTS: Columns = {"n": COUNT, "not_judged": COUNT}
"""Judged answers, which alone are in the rates, and the others."""
BOUNDS: Columns = {"low": DIFFERENCE, "high": DIFFERENCE}
TEST: Columns = {"only_policy": COUNT, "only_against": COUNT, "mcnemar_p": P}
"""Discordant instances and McNemar's exact p, of one answer an instance."""


def rate(name: str) -> Columns:
    """Return the columns of a rate and its interval."""
    return {f"{name}_rate": RATE, f"{name}_low": RATE, f"{name}_high": RATE}


PRINTED: Columns = {**rate("paper_format"), **rate("paper_resolved"), "paper_n": COUNT, "paper_source": TEXT}
"""The paper's rates; their intervals are our arithmetic."""


def rate_cells(found: Rate | None) -> Cells:
    """Return a rate and its interval."""
    return [found.value, found.low, found.high] if found else [None] * 3


def printed_cells(row: PaperRow | None, confidence: float) -> Cells:
    """Return the cells below PRINTED."""
    if row is None:
        return [None] * len(PRINTED)
    rates = [part for value in (row.format, row.resolved) for part in percent_cells(value, confidence)]
    return [*rates, paper.INSTANCES, row.source]


def percent_cells(percent: float, confidence: float, *, whole: bool = True) -> Cells:
    """Return a printed percentage of INSTANCES as a rate, with our interval if it is of a whole number of them."""
    bounds = paper.interval(percent, paper.INSTANCES, confidence) if whole else (None, None)
    return [percent / 100, *bounds]


def bound_cells(row: Difference) -> Cells:
    """Return the interval of a difference; it has none where every instance has the same."""
    return [*(row.interval or (None, None))]


def test_cells(row: Difference) -> Cells:
    """Return the cells below TEST."""
    return [row.only_policy, row.only_against, row.p]
