"""Make the tables, the figures and the page."""

from typing import Any

from openswerl.files import write_text
from openswerl.graph import ood_policies
from openswerl.report import mini, ood, prose
from openswerl.report.card import card_rows
from openswerl.report.editing import edit_rows
from openswerl.report.figures.captions import setting
from openswerl.report.figures.draw import draw
from openswerl.report.figures.write import write
from openswerl.report.inputs import Inputs, gather
from openswerl.report.ood import Ood
from openswerl.report.page.render import Content, render
from openswerl.report.paired import Difference, ablation, differences
from openswerl.report.rates import RateRow, rate_rows
from openswerl.report.rows import MINI
from openswerl.report.tables import mini as mini_tables
from openswerl.report.tables import ood as ood_tables
from openswerl.report.tables import rates as tables
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write the report of the grid. Raises UserError if an input is missing or does not fit the others.

    Writes table2.csv, table2.md, decoding.csv, paired.csv, edits.csv, causes.csv, groups.csv, funnel.md,
    config_card.csv, figures/*.{svg,png} and report.html below `job.out`, where Agentless Mini ran also table1.csv,
    table1.md, rerank.csv, localisation.csv, tests.csv and scaling.csv, where the out-of-domain suites ran table3.csv,
    table3.md and table3_paired.csv, and the page once more as `<results>/report.html`.
    """
    settings = job.cfg.report
    inputs = gather(job.inputs, job.cfg.grid, settings.splits)
    greedy = list(rate_rows([*inputs.gate, *inputs.evaluations], "greedy", settings))
    others = [row for decoding in ("sample", "vote") for row in rate_rows(inputs.evaluations, decoding, settings)]
    chosen = [row for decoding in MINI for row in rate_rows(inputs.evaluations, decoding, settings)]
    paired, rerank = list(differences(inputs, settings)), list(ablation(inputs, settings))
    card = card_rows(job.before)
    remark = ". ".join(prose.remarks(job.cfg.scale, settings, inputs))
    files = {
        "table2.csv": tables.table2_csv(greedy),
        "table2.md": tables.table2_md(greedy, inputs.sandbox, remark),
        "decoding.csv": tables.decoding_csv(others),
        "paired.csv": tables.paired_csv(paired),
        "edits.csv": tables.edits_csv(edit_rows(inputs.evaluations, settings)),
        "funnel.md": tables.funnel_md(inputs.funnel),
        "config_card.csv": tables.card_csv(card),
        "causes.csv": mini_tables.causes_csv(inputs),
        "groups.csv": mini_tables.groups_csv(inputs),
    }
    files |= _agentless(inputs, chosen, rerank, remark) if mini.has_mini(inputs) else {}
    found = ood.gather(job.inputs, ood_policies(job.cfg), job.cfg.grid)
    apart = list(ood.differences(found, settings))
    files |= _out_of_domain(found, apart, prose.ood_remark(job.cfg.scale, found)) if found else {}
    drawn = draw(inputs, setting(job.cfg.scale, settings, inputs))
    html = render(
        Content(job.cfg, job.digest, inputs, greedy, others, paired, drawn, card, chosen, rerank, found, apart)
    )
    files |= {"report.html": html}
    for name, text in files.items():
        write_text(job.out / name, text)
    write_text(job.out.parent.parent / "report.html", html)
    pictures = [f"figures/{name}" for name in write(job.out / "figures", drawn)]
    return {"sandbox": inputs.sandbox, "files": sorted([*files, *pictures])}


def _agentless(inputs: Inputs, rows: list[RateRow], rerank: list[Difference], remark: str) -> dict[str, str]:
    """Return the tables of Agentless Mini."""
    full = [row for row in rows if row.decoding == "mini"]
    return {
        "table1.csv": mini_tables.table1_csv(full, inputs),
        "table1.md": mini_tables.table1_md(full, remark, prose.executed(inputs)),
        "rerank.csv": mini_tables.rerank_csv(rerank),
        "localisation.csv": mini_tables.localisation_csv(inputs),
        "tests.csv": mini_tables.tests_csv(inputs),
        "scaling.csv": mini_tables.scaling_csv(inputs),
    }


def _out_of_domain(found: list[Ood], apart: list[Difference], remark: str) -> dict[str, str]:
    """Return the tables of the out-of-domain suites."""
    return {
        "table3.csv": ood_tables.table3_csv(found),
        "table3.md": ood_tables.table3_md(found, remark),
        "table3_paired.csv": ood_tables.table3_paired_csv(apart),
    }
