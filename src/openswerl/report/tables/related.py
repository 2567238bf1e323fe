"""The effect of related files as a frame. Rates lie between 0 and 1."""

from collections.abc import Iterable

from pandas import DataFrame

from openswerl.report.paired import Difference
from openswerl.report.tables.columns import BOUNDS, KEY, Cells, bound_cells, test_cells
from openswerl.report.tables.kinds import COUNT, DIFFERENCE, RATE, TEXT, Columns, P, frame

RELATED: Columns = {
    **KEY,
    **{"against": TEXT, "measure": TEXT, "n": COUNT, "with_related_rate": RATE, "without_related_rate": RATE},
    **{"with_minus_without": DIFFERENCE, **BOUNDS},
    **{"only_with": COUNT, "only_without": COUNT, "mcnemar_p": P},
}


def related(rows: Iterable[Difference]) -> DataFrame:
    """Return over-editing ("extra"), format and resolved with and without related files, paired by instance."""
    return frame(RELATED, (_cells(row) for row in rows))


def _cells(row: Difference) -> Cells:
    key = [row.policy, row.split, row.seed, row.against, row.measure, row.n]
    return [*key, row.rate, row.rate_against, row.value, *bound_cells(row), *test_cells(row)]
