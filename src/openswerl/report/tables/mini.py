"""CSV and Markdown tables of Agentless Mini, of the causes of failure and of groups of instances.

A cell is empty where its number is not defined; rates lie between 0 and 1.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from openswerl.report import paper
from openswerl.report.evaluated import Group, Localisation, MiniSplit, Point, Recall
from openswerl.report.inputs import Evaluation, Inputs
from openswerl.report.paired import Difference
from openswerl.report.rates import RateRow
from openswerl.report.tables.rates import bracketed, to_csv, to_markdown

KEY = ("policy", "split", "seed")
RATE = ("resolved_rate", "resolved_low", "resolved_high")
TABLE1 = (*KEY, "n", "not_judged", *RATE, "executed_in", "regression_selection")
RERANK = (*KEY, "choice", "n", "rate", "full_minus_choice", "low", "high", "only_full", "only_choice", "mcnemar_p")
LOCALISATION = (*KEY, "n", "without_oracle", "k", "recall", "low", "high", "random")
TESTS = (*KEY, "n", "with_reproduction_test", "rate", "low", "high", "kept_per_instance", "regression_per_instance")
SCALING = (*KEY, "axis", "k", "n", "not_judged", *RATE)
CAUSES = (*KEY, "decoding", "cause", "answers")
GROUPS = (*KEY, "decoding", "kind", "group", "n", "not_judged", *RATE)
Cells = list[object]


def table1_csv(rows: Iterable[RateRow], inputs: Inputs) -> str:
    """Return the resolve rates of Agentless Mini, with what executed them and how its regression tests were chosen."""
    ran = {(item.policy, item.seed): item for item in inputs.evaluations}
    return to_csv(TABLE1, (_table1_cells(row, ran[row.policy, row.seed]) for row in rows))


def table1_md(rows: Iterable[RateRow], remark: str, executed: str) -> str:
    """Return the form of the paper's Table 1 as Markdown, the paper's numbers in a column of their own."""
    head = ["policy", "scaffold", "split", "seed", "n", "not judged", "resolved %", "paper: resolved %"]
    return (
        f"{remark}\n\nAgentless Mini, one patch submitted; executed in: {executed}. n: judged instances. The paper's "
        f"column is SWE-bench Verified (n = {paper.INSTANCES}), 500 repair samples and 30 tests of a 70B model: a "
        "different benchmark, without error bars.\n\n" + to_markdown(head, (_printed_cells(row) for row in rows))
    )


def rerank_csv(rows: Iterable[Difference]) -> str:
    """Return the ablation of reranking: the full choice against each choice with fewer stages."""
    return to_csv(RERANK, (_rerank_cells(row) for row in rows))


def localisation_csv(inputs: Inputs) -> str:
    """Return recall at k, beside that of files drawn at random."""
    found = [(key, own.localisation) for key, own in _splits(inputs) if own.localisation]
    return to_csv(LOCALISATION, ([*key, *_recall_cells(own, at)] for key, own in found for at in own.at))


def tests_csv(inputs: Inputs) -> str:
    """Return the share of instances with a kept reproduction test, and the tests kept an instance."""
    return to_csv(TESTS, ([*key, *_test_cells(own)] for key, own in _splits(inputs)))


def scaling_csv(inputs: Inputs) -> str:
    """Return the curves over repair samples and over reproduction tests."""
    curves = [(key, axis, curve) for key, own in _splits(inputs) for axis, curve in own.scaling.items()]
    return to_csv(SCALING, ([*key, axis, *_point_cells(point)] for key, axis, curve in curves for point in curve))


def causes_csv(inputs: Inputs) -> str:
    """Return how many answers have each cause; causes that do not occur have no row."""
    counts = Counter(
        (item.policy, row.split, item.seed, row.decoding, row.cause)
        for item in inputs.evaluations
        for row in item.outcomes
    )
    return to_csv(CAUSES, ([*key, count] for key, count in counts.items()))


def groups_csv(inputs: Inputs) -> str:
    """Return resolve rates by repository, difficulty and number of oracle files."""
    cells = (
        [item.policy, split, item.seed, decoding, kind, *_group_cells(group)]
        for item in inputs.evaluations
        for split, decodings in item.breakdown.items()
        for decoding, kinds in decodings.items()
        for kind, groups in kinds.items()
        for group in groups
    )
    return to_csv(GROUPS, cells)


def _splits(inputs: Inputs) -> Iterator[tuple[Cells, MiniSplit]]:
    for item in inputs.evaluations:
        for split, own in (item.mini.splits if item.mini else {}).items():
            yield [item.policy, split, item.seed], own


def _table1_cells(row: RateRow, item: Evaluation) -> Cells:
    rates = _numbers(row.resolved.value, row.resolved.low, row.resolved.high)
    selection = item.mini.selection if item.mini else None
    return [row.policy, row.split, row.seed, row.n, row.not_judged, *rates, item.sandbox, selection]


def _printed_cells(row: RateRow) -> Cells:
    printed = paper.MINI[row.policy].resolved if row.policy in paper.MINI else ""
    return [row.policy, "Agentless Mini", row.split, row.seed, row.n, row.not_judged, bracketed(row.resolved), printed]


def _rerank_cells(row: Difference) -> Cells:
    rates = _numbers(row.rate_against, round(row.value, 4) + 0.0, *(row.interval or (None, None)))
    p = None if row.p is None else f"{row.p:.3g}"
    return [row.policy, row.split, row.seed, row.against, row.n, *rates, row.only_policy, row.only_against, p]


def _recall_cells(own: Localisation, at: Recall) -> Cells:
    return [own.instances, own.without_oracle, at.k, *_numbers(at.recall, at.low, at.high, at.random)]


def _test_cells(own: MiniSplit) -> Cells:
    rates = _numbers(own.tests.rate, own.tests.low, own.tests.high, own.tests.kept, own.regression.tests)
    return [own.instances, own.tests.instances, *rates]


def _point_cells(point: Point) -> Cells:
    return [point.k, point.instances, point.not_judged, *_numbers(point.rate, point.low, point.high)]


def _group_cells(group: Group) -> Cells:
    rates = _numbers(group.resolved_rate, group.resolved_low, group.resolved_high)
    return [group.group, group.instances, group.not_judged, *rates]


def _numbers(*values: float | None) -> Cells:
    return [None if value is None else f"{value:.4f}" for value in values]
