"""Tables that the page shows as they are written for people."""

from collections.abc import Iterable
from dataclasses import dataclass

from openswerl.report.tables.table import Table, shown

TITLES = {
    "table1": "Every system of the paper\u2019s Table 1",
    "ablation": "Rewards compared, seed by seed",
    "related": "With related files and without",
    "zero_variance": "Groups without variance",
}
"""The tables that no other section shows."""


@dataclass(frozen=True)
class Frame:
    """A table as texts: `label` names its scale."""

    name: str
    title: str
    label: str
    caption: str
    head: list[str]
    rows: list[list[str]]


def frames(tables: Iterable[Table]) -> list[Frame]:
    """Return the tables of TITLES that there are, in that order."""
    found = {table.name: table for table in tables}
    return [_frame(found[name], title) for name, title in TITLES.items() if name in found and len(found[name].frame)]


def _frame(table: Table, title: str) -> Frame:
    texts = shown(table)
    return Frame(table.name, title, table.label, table.caption, list(texts.columns), texts.to_numpy().tolist())
