"""The data funnel and the config card as frames."""

from collections.abc import Iterable, Sequence

from pandas import DataFrame

from openswerl.report import paper
from openswerl.report.card import CardRow
from openswerl.report.rows import FunnelRow
from openswerl.report.tables.kinds import COUNT, TEXT, Columns, frame

FUNNEL: Columns = {
    **{"step": TEXT, "reason": TEXT, "dropped": COUNT, "left": COUNT},
    **{"paper_stage": TEXT, "paper_left": COUNT, "paper_source": TEXT, "scale": TEXT},
}
CARD: Columns = dict.fromkeys(("group", "key", "value", "source", "note", "used_by"), TEXT)


def funnel(rows: Sequence[FunnelRow], scale: str) -> DataFrame:
    """Return the pull requests dropped by each filter and left after it, the paper's three counts beside theirs."""
    seeds = [k for k, row in enumerate(rows) if row.step.startswith("seed_")]
    ends = [0, seeds[0] - 1, len(rows) - 1] if seeds else [0, len(rows) - 1]
    places = dict(zip(ends, paper.NUMBERS.funnel, strict=False))
    cells = []
    for place, row in enumerate(rows):
        printed = places.get(place)
        own = [printed.stage, printed.pull_requests, printed.source] if printed else [None] * 3
        cells.append([row.step, row.reason, row.dropped, row.left, *own, scale])
    return frame(FUNNEL, cells)


def card(rows: Iterable[CardRow]) -> DataFrame:
    """Return the config card."""
    return frame(CARD, ([r.group, r.key, r.value, r.mark.source, r.mark.note, r.used_by] for r in rows))
