"""Agentless Mini as frames. Rates lie between 0 and 1."""

from collections.abc import Iterable, Iterator

from pandas import DataFrame

from openswerl.report import labels, paper
from openswerl.report.evaluated import Localisation, MiniSplit, Point, Recall
from openswerl.report.inputs import Evaluation, Inputs
from openswerl.report.paired import Difference
from openswerl.report.rates import RateRow
from openswerl.report.tables.columns import (
    BOUNDS,
    COUNTS,
    KEY,
    Cells,
    bound_cells,
    percent_cells,
    rate,
    rate_cells,
)
from openswerl.report.tables.kinds import COUNT, DIFFERENCE, NUMBER, RATE, TEXT, Columns, P, frame

SHARE: Columns = {"low": RATE, "high": RATE}
TABLE1: Columns = {
    **{"policy": TEXT, "system": TEXT, "scaffold": TEXT, "group": TEXT, "split": TEXT, "seed": TEXT},
    **COUNTS,
    **rate("resolved"),
    **{"executed_in": TEXT, "regression_selection": TEXT, "interval": TEXT, "source": TEXT, "scale": TEXT},
}
RERANK: Columns = {
    **KEY,
    **{"choice": TEXT, "n": COUNT, "rate": RATE, "full_minus_choice": DIFFERENCE, **BOUNDS},
    **{"only_full": COUNT, "only_choice": COUNT, "mcnemar_p": P},
}
LOCALISATION: Columns = {
    **KEY,
    **{"n": COUNT, "without_oracle": COUNT, "k": COUNT, "recall": RATE, **SHARE, "random": RATE},
}
TESTS: Columns = {
    **KEY,
    **{"n": COUNT, "with_reproduction_test": COUNT, "rate": RATE, **SHARE},
    **{"kept_per_instance": NUMBER, "regression_per_instance": NUMBER},
}
SCALING: Columns = {
    **KEY,
    **{"axis": TEXT, "k": COUNT, **COUNTS, **rate("resolved")},
    **{"system": TEXT, "source": TEXT, "scale": TEXT},
}
PRINTED = "paper: SWE-bench Verified"


def table1(rows: Iterable[RateRow], inputs: Inputs, confidence: float, scale: str) -> DataFrame:
    """Return Agentless Mini's submitted patches, then every system of the paper's Table 1.

    What executed ours and how the regression tests were chosen stands in the row. The paper's `n` and interval are our
    arithmetic; both are missing where a rate is no whole number of instances.
    """
    ran = {item.policy: item for item in inputs.evaluations}
    ours = [_table1_cells(row, ran[row.policy], scale) for row in rows]
    return frame(TABLE1, [*ours, *(_system_cells(row, confidence) for row in paper.NUMBERS.systems.rows)])


def rerank(rows: Iterable[Difference]) -> DataFrame:
    """Return the ablation of reranking: the full choice against each choice with fewer stages."""
    return frame(RERANK, (_rerank_cells(row) for row in rows))


def localisation(inputs: Inputs) -> DataFrame:
    """Return recall at k of the files to edit, beside that of files drawn at random."""
    found = [(key, own.localisation) for key, own in _splits(inputs) if own.localisation]
    return frame(LOCALISATION, ([*key, *_recall_cells(own, at)] for key, own in found for at in own.at))


def tests(inputs: Inputs) -> DataFrame:
    """Return the share of instances with a kept reproduction test, and the tests kept an instance."""
    return frame(TESTS, ([*key, *_test_cells(own)] for key, own in _splits(inputs)))


def scaling(inputs: Inputs, confidence: float, scale: str) -> DataFrame:
    """Return the curves over repair samples and over reproduction tests, and the paper's (Figure 4) after them."""
    curves = [(key, axis, curve) for key, own in _splits(inputs) for axis, curve in own.scaling.items()]
    ours = [
        [*key, axis, *_point_cells(point), labels.policy(str(key[0])), "this run", scale]
        for key, axis, curve in curves
        for point in curve
    ]
    where = [paper.MINI[paper.NUMBERS.scaling.policy].model, paper.NUMBERS.scaling.source, PRINTED]
    printed = [
        [None, "verified", None, axis, k, paper.INSTANCES, None, *percent_cells(value, confidence), *where]
        for axis, curve in paper.SCALING.items()
        for k, value in curve.items()
    ]
    return frame(SCALING, [*ours, *printed])


def _splits(inputs: Inputs) -> Iterator[tuple[Cells, MiniSplit]]:
    for item in inputs.evaluations:
        for split, own in (item.mini.splits if item.mini else {}).items():
            yield [item.policy, split, item.seed], own


def _table1_cells(row: RateRow, item: Evaluation, scale: str) -> Cells:
    selection = item.mini.selection if item.mini else None
    key = [row.policy, labels.policy(row.policy), "Agentless Mini", "this run", row.split, row.seed]
    rates = [row.n, row.not_judged, *rate_cells(row.resolved)]
    return [*key, *rates, item.sandbox, selection, row.interval, "this run", scale]


def _system_cells(row: paper.System, confidence: float) -> Cells:
    systems = paper.NUMBERS.systems
    key = [None, row.model, row.scaffold, systems.groups[row.group], "verified", None]
    n, interval = (paper.INSTANCES, "Wilson, our arithmetic") if row.whole else (None, None)
    rates = [n, None, *percent_cells(row.resolved, confidence, whole=row.whole)]
    return [*key, *rates, None, None, interval, systems.source, PRINTED]


def _rerank_cells(row: Difference) -> Cells:
    rates = [row.rate_against, row.value, *bound_cells(row)]
    return [row.policy, row.split, row.seed, row.against, row.n, *rates, row.only_policy, row.only_against, row.p]


def _recall_cells(own: Localisation, at: Recall) -> Cells:
    return [own.instances, own.without_oracle, at.k, at.recall, at.low, at.high, at.random]


def _test_cells(own: MiniSplit) -> Cells:
    rates = [own.tests.rate, own.tests.low, own.tests.high, own.tests.kept, own.regression.tests]
    return [own.instances, own.tests.instances, *rates]


def _point_cells(point: Point) -> Cells:
    return [point.k, point.instances, point.not_judged, point.rate, point.low, point.high]
