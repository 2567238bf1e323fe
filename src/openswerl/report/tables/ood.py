"""The out-of-domain suites as frames. Rates lie between 0 and 1, the paper's are in percent as printed."""

from collections.abc import Iterable

from pandas import DataFrame

from openswerl.report import labels, paper
from openswerl.report.ood import Ood, Rates
from openswerl.report.paired import Difference
from openswerl.report.tables.columns import BOUNDS, COUNTS, TEST, Cells, bound_cells, test_cells
from openswerl.report.tables.kinds import COUNT, DIFFERENCE, FLAG, PERCENT, RATE, TEXT, Columns, frame

STATUSES = ("correct", "wrong", "format_error", "too_long", "timeout", "stopped", "error")
TABLE3: Columns = {
    **{"suite": TEXT, "benchmark": TEXT, "policy": TEXT, "seed": TEXT, **COUNTS},
    **{"rate": RATE, "low": RATE, "high": RATE, "format_rate": RATE, "format_low": RATE, "format_high": RATE},
    **dict.fromkeys(STATUSES, COUNT),
    **{"macro": FLAG, "rows": TEXT, "paper_percent": PERCENT, "paper_source": TEXT, "scale": TEXT},
}
PAIRED: Columns = {
    **{"suite": TEXT, "policy": TEXT, "against": TEXT, "seed": TEXT, "n": COUNT},
    **{"rate": RATE, "rate_against": RATE, "difference": DIFFERENCE, **BOUNDS, **TEST},
}


def table3(found: Iterable[Ood], scale: str) -> DataFrame:
    """Return pass@1 and format by suite and policy, with the statuses of the items counted, and the paper's pass@1."""
    every = [(one, name, rates) for one in found for name, rates in one.result.suites.items()]
    ordered = sorted(every, key=lambda row: list(paper.OOD).index(row[1]))
    return frame(TABLE3, (_cells(one, name, rates, scale) for one, name, rates in ordered))


def table3_paired(rows: Iterable[Difference]) -> DataFrame:
    """Return the differences between policies on the same items."""
    return frame(PAIRED, map(_paired, rows))


def _cells(one: Ood, name: str, rates: Rates, scale: str) -> Cells:
    numbers = [rates.rate, rates.rate_low, rates.rate_high, rates.format, rates.format_low, rates.format_high]
    counts = [rates.statuses.get(status, 0) for status in STATUSES]
    key = [name, labels.suite(name, rates.rows), one.policy, one.seed, rates.n, rates.not_judged]
    printed = paper.OOD[name].get(one.policy)
    source = None if printed is None else paper.NUMBERS.out_of_domain.source
    return [*key, *numbers, *counts, rates.macro, rates.rows or "ours", printed, source, scale]


def _paired(row: Difference) -> Cells:
    key = [row.split, row.policy, row.against, row.seed, row.n]
    return [*key, row.rate, row.rate_against, row.value, *bound_cells(row), *test_cells(row)]
