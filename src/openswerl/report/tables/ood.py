"""CSV and Markdown tables of the out-of-domain suites. Rates lie between 0 and 1 in the CSV files."""

from collections.abc import Iterable, Sequence

from openswerl.report import labels, paper
from openswerl.report.ood import Ood, Rates
from openswerl.report.paired import Difference
from openswerl.report.rates import Rate
from openswerl.report.tables.rates import bracketed, to_csv, to_markdown

STATUSES = ("correct", "wrong", "format_error", "too_long", "timeout", "stopped", "error")
RATES = ("rate", "low", "high", "format_rate", "format_low", "format_high")
TABLE3 = (*("suite", "policy", "seed", "n", "not_judged", *RATES), *STATUSES, *("macro", "rows", "paper_percent"))
PAIRED = (
    *("suite", "policy", "against", "seed", "n", "rate", "rate_against", "difference", "low", "high"),
    *("only_policy", "only_against", "mcnemar_p"),
)
HEAD = ["benchmark", "policy", "seed", "n", "pass@1 %", "format %", "paper: pass@1 %"]


def table3_csv(found: Iterable[Ood]) -> str:
    """Return Table 3 as CSV, one row a suite and policy, with the causes counted."""
    return to_csv(TABLE3, (_cells(one, name, rates) for one, name, rates in _rows(found)))


def table3_md(found: Sequence[Ood], remark: str) -> str:
    """Return Table 3 as Markdown, the paper's numbers in a column of their own."""
    confidence = f"{100 * found[0].result.confidence:g} %"
    return (
        f"{remark}\n\nZero-shot, greedy. In brackets: {confidence} interval of each rate; n: judged items. The paper's "
        "column is of a 70B model on the benchmarks themselves, without n or error bars.\n\n"
        + to_markdown(HEAD, (_printed(one, name, rates) for one, name, rates in _rows(found)))
    )


def table3_paired_csv(rows: Iterable[Difference]) -> str:
    """Return the differences between policies on the same items."""
    return to_csv(PAIRED, map(_paired, rows))


def _rows(found: Iterable[Ood]) -> list[tuple[Ood, str, Rates]]:
    every = [(one, name, rates) for one in found for name, rates in one.result.suites.items()]
    return sorted(every, key=lambda row: list(paper.OOD).index(row[1]))


def _cells(one: Ood, name: str, rates: Rates) -> list[object]:
    numbers = (rates.rate, rates.rate_low, rates.rate_high, rates.format, rates.format_low, rates.format_high)
    counts = [rates.statuses.get(status, 0) for status in STATUSES]
    key = [name, one.policy, one.seed, rates.n, rates.not_judged]
    return [*key, *map(_number, numbers), *counts, rates.macro, rates.rows or "ours", paper.OOD[name].get(one.policy)]


def _printed(one: Ood, name: str, rates: Rates) -> list[object]:
    shown = [_bracketed(rates.rate, rates.rate_low, rates.rate_high)]
    shown.append(_bracketed(rates.format, rates.format_low, rates.format_high))
    printed = paper.OOD[name].get(one.policy, "")
    return [labels.suite(name, rates.rows), one.policy, one.seed, rates.n, *shown, printed]


def _bracketed(value: float | None, low: float | None, high: float | None) -> str:
    return "" if value is None or low is None or high is None else bracketed(Rate(value, low, high))


def _paired(row: Difference) -> list[object]:
    low, high = row.interval or (None, None)
    numbers = (row.rate, row.rate_against, round(row.value, 4) + 0.0, low, high)
    p = None if row.p is None else f"{row.p:.3g}"
    key = [row.split, row.policy, row.against, row.seed, row.n]
    return [*key, *map(_number, numbers), row.only_policy, row.only_against, p]


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"
