"""Repair rates, their paired differences, and the reward ablation, as frames. Rates lie between 0 and 1."""

from collections.abc import Iterable, Sequence

from pandas import DataFrame

from openswerl.report import labels, paper
from openswerl.report.editing import EditRow
from openswerl.report.paired import MAIN, Difference
from openswerl.report.rates import RateRow
from openswerl.report.tables.columns import (
    BOUNDS,
    COUNTS,
    KEY,
    PRINTED,
    TEST,
    Cells,
    bound_cells,
    printed_cells,
    rate,
    rate_cells,
    test_cells,
)
from openswerl.report.tables.kinds import COUNT, DIFFERENCE, NUMBER, RATE, TEXT, Columns, P, frame

RATES: Columns = {**KEY, **COUNTS, **rate("format"), **rate("resolved")}
TABLE2: Columns = {**RATES, "decoding": TEXT, "interval": TEXT, **PRINTED, "scale": TEXT}
DECODING: Columns = {"decoding": TEXT, **RATES, "interval": TEXT}
PAIR: Columns = {"policy": TEXT, "against": TEXT, "measure": TEXT, "decoding": TEXT, "split": TEXT, "seed": TEXT}
PAIRED: Columns = {
    **PAIR,
    **{"n": COUNT, "rate": RATE, "rate_against": RATE, "difference": DIFFERENCE},
    **BOUNDS,
    **TEST,
}
EDITS: Columns = {**KEY, "n": COUNT, **rate("extra"), "files": NUMBER}
ABLATION: Columns = {
    **RATES,
    **{"continuous_minus_this": DIFFERENCE, **BOUNDS, "mcnemar_p": P},
    **PRINTED,
    "scale": TEXT,
}


def table2(rows: Iterable[RateRow], votes: Iterable[RateRow], confidence: float, scale: str) -> DataFrame:
    """Return the form of Table 2: greedy rows, then the base's votes, the paper's numbers beside both.

    A row of the paper without one of ours stands last. The format of a gate policy is not defined, as no model wrote
    its patch.
    """
    ours = [*rows, *(row for row in votes if labels.parted(row.policy)[0] == "base")]
    known = [(row.policy, row.decoding) for row in ours]
    cells = [_table2_cells(row, confidence, scale) for row in ours]
    alone = [row for key, row in paper.REPAIR.items() if key not in known]
    empty = [None] * (len(RATES) - len(KEY))
    cells += [
        [row.policy, None, None, *empty, row.decoding, None, *printed_cells(row, confidence), scale] for row in alone
    ]
    return frame(TABLE2, cells)


def decoding(rows: Iterable[RateRow]) -> DataFrame:
    """Return the rates of sampling and of the vote, with the kind of interval in the last column."""
    return frame(DECODING, ([row.decoding, *_rates(row), row.interval] for row in rows))


def paired(rows: Iterable[Difference]) -> DataFrame:
    """Return the paired differences of policies on the same instances."""
    return frame(PAIRED, (_paired_cells(row) for row in rows))


def edits(rows: Iterable[EditRow]) -> DataFrame:
    """Return how many files the patches change, and the share of patches that change too many."""
    return frame(EDITS, ([row.policy, row.split, row.seed, row.n, *rate_cells(row.extra), row.files] for row in rows))


def ablation(rows: Iterable[RateRow], pairs: Sequence[Difference], confidence: float, scale: str) -> DataFrame:
    """Return the rewards compared, greedy, the form of Figure 5; `continuous_minus_this` is the lead of that one.

    The difference is of resolved, of the first split, of the same instances, seed and variant.
    """
    ahead = {(row.against, row.split, row.seed): row for row in pairs if _of_rewards(row)}
    cells = []
    for row in rows:
        if row.policy.startswith("grpo-"):
            found = ahead.get((row.policy, row.split, row.seed))
            difference = [found.value, *bound_cells(found), found.p] if found else [None] * 4
            printed = printed_cells(paper.ROWS.get(row.policy), confidence)
            cells.append([*_rates(row), *difference, *printed, scale])
    return frame(ABLATION, cells)


def _of_rewards(row: Difference) -> bool:
    (first, variant), (second, other) = labels.parted(row.policy), labels.parted(row.against)
    rewards = first == MAIN and second.startswith("grpo-") and second != MAIN and variant == other
    return rewards and (row.measure, row.decoding) == ("resolved", "greedy")


def _rates(row: RateRow) -> Cells:
    form = rate_cells(None if labels.is_gate(row.policy) else row.format)
    return [row.policy, row.split, row.seed, row.n, row.not_judged, *form, *rate_cells(row.resolved)]


def _table2_cells(row: RateRow, confidence: float, scale: str) -> Cells:
    printed = paper.REPAIR.get((row.policy, row.decoding))
    return [*_rates(row), row.decoding, row.interval, *printed_cells(printed, confidence), scale]


def _paired_cells(row: Difference) -> Cells:
    key = [row.policy, row.against, row.measure, row.decoding, row.split, row.seed, row.n]
    return [*key, row.rate, row.rate_against, row.value, *bound_cells(row), *test_cells(row)]
