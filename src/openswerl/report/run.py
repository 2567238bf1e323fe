"""Make the tables, the figures and the page."""

from typing import Any

from openswerl.files import write_text
from openswerl.report import figures, page, prose, tables
from openswerl.report.card import card_rows
from openswerl.report.inputs import gather
from openswerl.report.paired import differences
from openswerl.report.rates import rate_rows
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write the report of the grid. Raises UserError if an input is missing or does not fit the others.

    Writes table2.csv, table2.md, decoding.csv, paired.csv, funnel.md, config_card.csv, figures/*.svg and report.html
    below `job.out`, and the page once more as `<results>/report.html`.
    """
    settings = job.cfg.report
    inputs = gather(job.inputs, job.cfg.grid, settings.splits)
    greedy = list(rate_rows([*inputs.gate, *inputs.evaluations], "greedy", settings))
    others = [row for decoding in ("sample", "vote") for row in rate_rows(inputs.evaluations, decoding, settings)]
    paired = list(differences(inputs, settings))
    card = card_rows(job.before)
    remark = ". ".join(prose.remarks(job.cfg.scale, settings, inputs))
    files = {
        "table2.csv": tables.table2_csv(greedy),
        "table2.md": tables.table2_md(greedy, inputs.sandbox, remark),
        "decoding.csv": tables.decoding_csv(others),
        "paired.csv": tables.paired_csv(paired),
        "funnel.md": tables.funnel_md(inputs.funnel),
        "config_card.csv": tables.card_csv(card),
    }
    drawn = figures.draw(inputs, greedy, list(settings.splits))
    html = page.render(page.Content(job.cfg, job.digest, inputs, greedy, others, paired, drawn, card))
    files |= {f"figures/{name}.svg": text for name, text in drawn.items()} | {"report.html": html}
    for name, text in files.items():
        write_text(job.out / name, text)
    write_text(job.out.parent.parent / "report.html", html)
    return {"sandbox": inputs.sandbox, "files": sorted(files)}
