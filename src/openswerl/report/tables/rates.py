"""CSV and Markdown tables."""

import csv
import io
from collections.abc import Iterable, Sequence

from openswerl.report import labels, paper
from openswerl.report.card import CardRow
from openswerl.report.editing import EditRow
from openswerl.report.paired import Difference
from openswerl.report.rates import Rate, RateRow
from openswerl.report.rows import FunnelRow

RATES = ("format_rate", "format_low", "format_high", "resolved_rate", "resolved_low", "resolved_high")
TABLE2 = ("policy", "split", "seed", "n", "not_judged", *RATES)
DECODING = ("decoding", *TABLE2, "interval")
PAIRED = (
    *("policy", "against", "measure", "decoding", "split", "seed", "n", "rate", "rate_against"),
    *("difference", "low", "high", "only_policy", "only_against", "mcnemar_p"),
)

EDITS = ("policy", "split", "seed", "n", "extra_rate", "extra_low", "extra_high", "files")
CARD = ("group", "key", "value", "source", "note", "used_by")


def table2_csv(rows: Iterable[RateRow]) -> str:
    """Return Table 2 as CSV; rates lie between 0 and 1."""
    return to_csv(TABLE2, (_rate_cells(row) for row in rows))


def decoding_csv(rows: Iterable[RateRow]) -> str:
    """Return the rates of sampling and of the vote as CSV, with the kind of interval in the last column."""
    cells = ([row.decoding, *_rate_cells(row), row.interval] for row in rows)
    return to_csv(DECODING, cells)


def paired_csv(rows: Iterable[Difference]) -> str:
    """Return the paired differences as CSV; a cell is empty where its number is not defined."""
    return to_csv(PAIRED, (_paired_cells(row) for row in rows))


def card_csv(rows: Iterable[CardRow]) -> str:
    """Return the config card as CSV."""
    return to_csv(CARD, ([row.group, row.key, row.value, row.mark.source, row.mark.note, row.used_by] for row in rows))


def table2_md(rows: Sequence[RateRow], sandbox: str, remark: str) -> str:
    """Return Table 2 as Markdown, the paper's numbers in columns of their own."""
    head = ["policy", "split", "seed", "n", "format %", "resolved %", "paper: format %", "paper: resolved %"]
    return (
        f"{remark}\n\nGreedy decoding; executed in: {sandbox}. In brackets: interval of each rate; n: judged answers. "
        f"The paper's columns are SWE-bench Verified (n = {paper.INSTANCES}), a different benchmark, without error "
        "bars.\n\n" + to_markdown(head, (_table2_cells(row) for row in rows))
    )


def edits_csv(rows: Iterable[EditRow]) -> str:
    """Return how many files the patches change, and how many patches change too many."""
    return to_csv(EDITS, (_edit_cells(row) for row in rows))


def funnel_md(rows: Iterable[FunnelRow]) -> str:
    """Return the data funnel as Markdown."""
    return to_markdown(["step", "reason", "dropped", "left"], ([r.step, r.reason, r.dropped, r.left] for r in rows))


def _rate_cells(row: RateRow) -> list[object]:
    return [row.policy, row.split, row.seed, row.n, row.not_judged, *_numbers(row)]


def _numbers(row: RateRow) -> list[str]:
    """The six rate columns; the format of a gate policy is empty, as no model wrote its patch."""
    if labels.is_gate(row.policy):
        return ["", "", "", *(f"{n:.4f}" for n in (row.resolved.value, row.resolved.low, row.resolved.high))]
    return [f"{n:.4f}" for rate in (row.format, row.resolved) for n in (rate.value, rate.low, rate.high)]


def _edit_cells(row: EditRow) -> list[object]:
    numbers = (row.extra.value, row.extra.low, row.extra.high, row.files)
    return [row.policy, row.split, row.seed, row.n, *(f"{number:.4f}" for number in numbers)]


def _paired_cells(row: Difference) -> list[object]:
    low, high = (f"{bound:.4f}" for bound in row.interval) if row.interval else ("", "")
    key = [row.policy, row.against, row.measure, row.decoding, row.split, row.seed, row.n]
    rates = [f"{row.rate:.4f}", f"{row.rate_against:.4f}", f"{round(row.value, 4) + 0.0:.4f}", low, high]
    p = "" if row.p is None else f"{row.p:.3g}"
    return [*key, *rates, row.only_policy, row.only_against, p]


def _table2_cells(row: RateRow) -> list[object]:
    printed = paper.ROWS.get(row.policy)
    form = "" if labels.is_gate(row.policy) else bracketed(row.format)
    numbers = (printed.format, printed.resolved) if printed else ("", "")
    return [row.policy, row.split, row.seed, row.n, form, bracketed(row.resolved), *numbers]


def bracketed(rate: Rate) -> str:
    """Return a rate in percent with its interval in brackets."""
    return f"{labels.percent(rate.value)} [{labels.percent(rate.low)}, {labels.percent(rate.high)}]"


def to_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV document; None is an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()


def to_markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table whose cells cannot break it."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(_cell(value) for value in line) + " |\n" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("\\", "\\\\").replace("|", "\\|").split())
