"""What holds for every table of a finished report, read back from its files."""

from pathlib import Path

import pandas as pd
import pytest

from openswerl.report.tables.writer import FORMS
from openswerl.stage import Job

NAMES = ("table1", "table2", "decoding", "paired", "edits", "causes", "groups", "ablation", "zero_variance", "rerank")
NAMES += ("localisation", "tests", "scaling", "funnel", "config_card")
WITHOUT_N = {"funnel", "config_card"}


def triples(frame: pd.DataFrame) -> list[list[str]]:
    """Return the columns of each interval: value, low, high."""
    names = list(frame.columns)
    lows = [k for k, name in enumerate(names) if name == "low" or name.endswith("_low")]
    return [names[k - 1 : k + 2] for k in lows]


def test_every_table_is_there_in_every_form_and_no_other(finished_mini: Job) -> None:
    found = {path.name for path in finished_mini.out.iterdir() if path.suffix[1:] in FORMS}
    assert found == {f"{name}.{form}" for name in NAMES for form in FORMS}


@pytest.mark.parametrize("name", NAMES)
def test_a_table_names_its_scale_and_its_intervals_hold_their_value(finished_mini: Job, name: str) -> None:
    path: Path = finished_mini.out / name
    for form in ("md", "tex"):
        assert "smoke scale: not comparable" in path.with_suffix(f".{form}").read_text()
    frame = pd.read_parquet(path.with_suffix(".parquet"))
    assert frame.attrs["label"].startswith("smoke scale: not comparable")
    assert name in WITHOUT_N or "n" in frame.columns
    for value, low, high in triples(frame):
        rows = frame[[value, low, high]].dropna()
        assert ((rows[low] <= rows[value] + 1e-9) & (rows[value] <= rows[high] + 1e-9)).all(), value
        assert rows.abs().to_numpy().max(initial=0) <= 1
    printed = pd.read_csv(path.with_suffix(".csv"), dtype=str)
    assert list(printed.columns) == list(frame.columns) and len(printed) == len(frame)
