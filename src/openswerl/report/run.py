"""Make the tables, the figures and the page."""

from dataclasses import asdict
from typing import Any

from openswerl.costs import by_stage
from openswerl.files import write_json, write_text
from openswerl.graph import ood_policies
from openswerl.report import ood, related
from openswerl.report.card import card_rows
from openswerl.report.editing import edit_rows, pooled_edits
from openswerl.report.figures.captions import setting
from openswerl.report.figures.draw import draw
from openswerl.report.figures.write import write as write_figures
from openswerl.report.inputs import Inputs, gather
from openswerl.report.page import explorer
from openswerl.report.page.render import Content, render
from openswerl.report.paired import ablation, differences
from openswerl.report.provenance import provenance
from openswerl.report.rates import RateRow, pooled_rows, rate_rows
from openswerl.report.rows import MINI
from openswerl.report.tables.collect import Rows, collect
from openswerl.report.tables.costs import cost_table
from openswerl.report.tables.writer import write
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write the report of the grid. Raises UserError if an input is missing or does not fit the others.

    Writes every table of `tables/collect.py` as CSV, Parquet, Markdown and LaTeX, the figures and report.html below
    `job.out`, the page once more as `<results>/report.html`, and the table of costs below `<run>/costs`, apart from the
    report, as times are no result. provenance.json is of the machine and the time, too.
    """
    settings = job.cfg.report
    inputs = gather(job.inputs, job.cfg.grid, settings.splits)
    rows = _rows(job, inputs)
    tables = list(collect(rows, job.cfg.scale, settings))
    drawn = draw(inputs, setting(job.cfg.scale, settings, inputs))
    costs = {stage: cost for stage, cost in by_stage(job.out.parent).items() if stage != "report"}
    made = provenance(costs)
    shown = explorer.gather(job.inputs, inputs.evaluations, list(settings.splits), settings.shown_instances)
    html = render(Content(job.cfg, job.digest, rows, tables, drawn, shown, made))
    names = [*write(job.out, tables), *(f"figures/{name}" for name in write_figures(job.out / "figures", drawn))]
    write_json(job.out / "provenance.json", asdict(made))
    for place in (job.out, job.out.parent.parent):
        write_text(place / "report.html", html)
    if costs:
        write(job.out.parent / "costs", [cost_table(costs, job.cfg.scale)])
    return {"sandbox": inputs.sandbox, "files": sorted([*names, "report.html"])}


def _rows(job: Job, inputs: Inputs) -> Rows:
    settings, evaluations = job.cfg.report, inputs.evaluations
    gate = list(rate_rows(inputs.gate, "greedy", settings))
    paired, rerank = list(differences(inputs, settings)), list(ablation(inputs, settings))
    edits = [*edit_rows(evaluations, settings), *pooled_edits(evaluations, settings)]
    found = ood.gather(job.inputs, ood_policies(job.cfg), job.cfg.grid)
    return Rows(
        inputs,
        greedy=[*gate, *_decoded(inputs, ("greedy",), settings)],
        others=_decoded(inputs, ("sample", "vote"), settings),
        chosen=_decoded(inputs, MINI, settings),
        paired=paired,
        edits=edits,
        related=list(related.effects(inputs, related.without_related(job.before), settings)),
        rerank=rerank,
        card=card_rows(job.before),
        ood=found,
        ood_paired=list(ood.differences(found, settings)),
    )


def _decoded(inputs: Inputs, decodings: tuple[str, ...], settings: Any) -> list[RateRow]:
    """Return the rates of these decodings, policy by policy: of each seed, then of all."""
    order = list(dict.fromkeys(item.policy for item in inputs.evaluations))
    rows: list[RateRow] = []
    for decoding in decodings:
        found = [*rate_rows(inputs.evaluations, decoding, settings)]
        found += pooled_rows(inputs.evaluations, decoding, settings)
        rows += sorted(found, key=lambda row: order.index(row.policy))
    return rows
