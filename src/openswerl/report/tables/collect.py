"""All tables of the report, each with its name, its label and its caption."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from openswerl.report import paper, prose
from openswerl.report.card import CardRow
from openswerl.report.editing import EditRow
from openswerl.report.inputs import Inputs
from openswerl.report.mini import has_mini
from openswerl.report.ood import Ood
from openswerl.report.paired import Difference
from openswerl.report.rates import RateRow
from openswerl.report.tables import data, failures, mini, ood, rates, related, training
from openswerl.report.tables.table import Table

PAPER = (
    f"The paper's columns are SWE-bench Verified (n = {paper.INSTANCES}), a different benchmark, without error bars; "
    "the intervals beside them are our arithmetic."
)
GREEDY = "Greedy decoding; n: judged answers."
SEEDS = 'Seed "all": the mean over seeds of each instance first, n instances, bootstrap over them.'
PAIRED = "On the same instances: bootstrap, and McNemar's exact p of one answer an instance."


@dataclass(frozen=True)
class Rows:
    """What the tables are made of; `greedy`, `others` and `chosen` are the rates of all decodings."""

    inputs: Inputs
    greedy: list[RateRow]
    others: list[RateRow]
    chosen: list[RateRow]
    paired: list[Difference]
    edits: list[EditRow]
    related: list[Difference]
    rerank: list[Difference]
    card: list[CardRow]
    ood: list[Ood]
    ood_paired: list[Difference]


def collect(rows: Rows, scale: str, settings: Any) -> Iterator[Table]:
    """Yield the tables of the report; those of Agentless Mini, other suites and related files only where they ran."""
    short, label = prose.scale(scale, settings), prose.label(scale, settings, rows.inputs)
    yield from _rates(rows, short, label, settings)
    yield from _training(rows, short, label, settings)
    if has_mini(rows.inputs):
        yield from _mini(rows, short, label, settings)
    if rows.ood:
        yield from _out_of_domain(rows, short, settings)
    yield from _data(rows, short, label)


def _rates(rows: Rows, short: str, label: str, settings: Any) -> Iterator[Table]:
    ran = f"executed in: {rows.inputs.sandbox}"
    brackets = f"In brackets: {100 * settings.confidence:g} % intervals."
    votes = [row for row in rows.others if row.decoding == "vote"]
    frame = rates.table2(rows.greedy, votes, settings.confidence, short)
    caption = (
        f"The form of Table 2: greedy decoding, and the vote of the base; {ran}. n: judged answers. {brackets} {SEEDS}"
    )
    yield Table("table2", label, f"{caption} {PAPER}", rates.TABLE2, frame, ("interval", "scale"))
    frame = rates.decoding(rows.others)
    yield Table("decoding", label, f"Sampling and vote; {ran}. {brackets} {SEEDS}", rates.DECODING, frame)
    yield Table("paired", label, f"Differences in points; {ran}. {PAIRED}", rates.PAIRED, rates.paired(rows.paired))
    caption = f"Patches that change a file which the reference fix leaves alone. {GREEDY} n: patches. {brackets}"
    yield Table("edits", label, caption, rates.EDITS, rates.edits(rows.edits))
    caption = f"Every answer has one cause; n: answers, judged or not; {ran}. {brackets} {SEEDS}"
    yield Table("causes", label, caption, failures.CAUSES, failures.causes(rows.inputs, settings), ("interval",))
    yield Table(
        "groups", label, f"Resolved by groups of instances; {ran}.", failures.GROUPS, failures.groups(rows.inputs)
    )
    if rows.related:
        caption = f'With related files and without, in training and evaluation. "extra": as in edits. {GREEDY} {PAIRED}'
        yield Table("related", label, caption, related.RELATED, related.related(rows.related))


def _training(rows: Rows, short: str, label: str, settings: Any) -> Iterator[Table]:
    frame = rates.ablation(rows.greedy, rows.paired, settings.confidence, short)
    caption = f"Rewards compared, the form of Figure 5. {GREEDY} Differences in points. {PAIRED} {PAPER}"
    yield Table("ablation", label, caption, rates.ABLATION, frame, ("scale",))
    caption = (
        "Groups without reward variance, over the run, its first and its last fifth; n: groups; bootstrap over steps."
    )
    frame = training.zero_variance(rows.inputs.trainings, settings)
    yield Table("zero_variance", label, caption, training.ZERO_VARIANCE, frame)


def _mini(rows: Rows, short: str, label: str, settings: Any) -> Iterator[Table]:
    inputs, ran = rows.inputs, f"executed in: {prose.executed(rows.inputs)}"
    full = [row for row in rows.chosen if row.decoding == "mini"]
    frame = mini.table1(full, inputs, settings.confidence, short)
    caption = (
        f"The form of Table 1: one patch submitted; {ran}. n: judged instances. Below ours, every system of the paper "
        f"on SWE-bench Verified (n = {paper.INSTANCES}), a different benchmark; Agentless Mini there: 500 repairs and "
        "30 tests of a 70B model. The paper prints no error bars: its intervals are our arithmetic."
    )
    yield Table("table1", label, caption, mini.TABLE1, frame, ("policy", "regression_selection", "interval", "scale"))
    caption = f"All stages of reranking against fewer; {ran}. {PAIRED} {SEEDS}"
    yield Table("rerank", label, caption, mini.RERANK, mini.rerank(rows.rerank))
    caption = "Share of the oracle files among the first k named, beside k random ones; n: instances with such a file."
    yield Table("localisation", label, caption, mini.LOCALISATION, mini.localisation(inputs))
    yield Table("tests", label, f"Tests kept; n: instances; {ran}.", mini.TESTS, mini.tests(inputs))
    caption = f"The form of Figure 4; n: judged instances; {ran}. Last, the paper's curves (n = {paper.INSTANCES})."
    frame = mini.scaling(inputs, settings.confidence, short)
    yield Table("scaling", label, caption, mini.SCALING, frame, ("policy", "source"))


def _out_of_domain(rows: Rows, short: str, settings: Any) -> Iterator[Table]:
    label = prose.ood_table_label(short, rows.ood)
    caption = (
        f"The form of Table 3: zero-shot, greedy. In brackets: {100 * rows.ood[0].result.confidence:g} % intervals; n: "
        "judged items. The paper's column is of a 70B model on the benchmarks themselves, without n or error bars."
    )
    hidden = ("suite", *ood.STATUSES, "macro", "rows", "scale")
    yield Table("table3", label, caption, ood.TABLE3, ood.table3(rows.ood, short), hidden)
    caption = f"Differences in points on the same items. {PAIRED}"
    yield Table("table3_paired", label, caption, ood.PAIRED, ood.table3_paired(rows.ood_paired))


def _data(rows: Rows, short: str, label: str) -> Iterator[Table]:
    caption = (
        "Pull requests left after each filter, and the paper's counts, whose first two are printed as 24M and 11M."
    )
    yield Table("funnel", label, caption, data.FUNNEL, data.funnel(rows.inputs.funnel, short), ("scale",))
    caption = "Every setting of the method as the cells used it, and where its value is from."
    yield Table("config_card", label, caption, data.CARD, data.card(rows.card))
