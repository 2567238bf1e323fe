"""What the columns of a table hold, and how their numbers are written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Kind:
    """Of a column: its dtype in the frame, the format of its numbers in CSV, and of `factor` times them for people."""

    dtype: str
    csv: str = ""
    shown: str = ""
    factor: float = 1


TEXT = Kind("string")
FLAG = Kind("boolean")
COUNT = Kind("Int64")
RATE = Kind("float64", ".4f", ".1f", 100)
"""A share between 0 and 1, shown in percent; NaN where it is not defined."""
DIFFERENCE = Kind("float64", ".4f", "+.1f", 100)
"""A difference of two shares, shown in percentage points."""
NUMBER = Kind("float64", ".4f", ".2f")
SECONDS = Kind("float64", ".2f", ".1f")
P = Kind("float64", ".3g", ".3g")
PERCENT = Kind("float64", "g", "g")
"""A rate as the paper prints it, in percent."""

Columns = Mapping[str, Kind]


def frame(columns: Columns, rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return the rows as a frame; None is a missing number or text. Raises ValueError if the rows do not fit."""
    types = {name: kind.dtype for name, kind in columns.items()}
    return pd.DataFrame([list(row) for row in rows], columns=list(columns), dtype=object).astype(types)


def written(number: float, spec: str) -> str:
    """Return a number in the format, a zero without a sign, and nothing where it is not defined."""
    if pd.isna(number):
        return ""
    text = format(number, spec)
    return text if float(text) else text.replace("-", "").replace("+", "")
