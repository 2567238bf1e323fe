"""One table of the report, and what people read of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from openswerl.report.tables.kinds import DIFFERENCE, RATE, Columns, Kind, written


@dataclass(frozen=True)
class Table:
    """A frame with its `columns`, the `name` of its files, and what its readers are told.

    `label` names the scale and what is not safe or honest, `caption` says what ran and what n is; `hidden` columns are
    in the files for programs alone.
    """

    name: str
    label: str
    caption: str
    columns: Columns
    frame: pd.DataFrame
    hidden: tuple[str, ...] = ()


def shown(table: Table) -> pd.DataFrame:
    """Return the table as texts: rates in percent, their interval in brackets; what is missing is empty."""
    found = {_heading(name, table.columns[name]): _texts(table, name, low) for name, low in visible(table)}
    return pd.DataFrame(found, columns=list(found), dtype=object)


def visible(table: Table) -> Iterator[tuple[str, str | None]]:
    """Yield the columns that are shown, each with that of its lower bound, which comes next if it has one."""
    names = [name for name in table.columns if name not in table.hidden]
    for name, after in zip(names, [*names[1:], ""], strict=True):
        if not _is_bound(name):
            yield name, after if _is_bound(after) else None


def _is_bound(name: str) -> bool:
    return name.rpartition("_")[2] in ("low", "high")


def _texts(table: Table, name: str, low: str | None) -> list[str]:
    kind, column = table.columns[name], table.frame[name]
    if low is None:
        return [_text(value, kind) for value in column]
    bounds = zip(column, table.frame[low], table.frame[low.removesuffix("low") + "high"], strict=True)
    return [_bracketed(*(_text(part, kind) for part in parts)) for parts in bounds]


def _bracketed(value: str, low: str, high: str) -> str:
    return f"{value} [{low}, {high}]" if low else value


def _text(value: object, kind: Kind) -> str:
    if pd.isna(value):  # type: ignore[call-overload]
        return ""
    return written(kind.factor * value, kind.shown) if kind.shown else str(value)  # type: ignore[operator]


def _heading(name: str, kind: Kind) -> str:
    """Return the heading of a column: format_rate is "format %", paper_format_rate "paper: format %"."""
    words = name.removesuffix("_rate").replace("_percent", " %").replace("paper_", "paper: ").replace("_", " ")
    return words + {RATE: " %", DIFFERENCE: ", points"}.get(kind, "")
