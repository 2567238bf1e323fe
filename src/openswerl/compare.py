"""Any set of runs of one stage side by side: a metric against the settings in which they differ."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from openswerl.errors import UserError
from openswerl.files import write_text
from openswerl.report.figures import svg
from openswerl.report.tables.writer import to_markdown

PREFERRED = ("reward_mean", "gate/greedy/resolved_rate")
TAIL = 10  # a training run is told by the mean of the last tenth of its steps
NUMBERS = ["mean", "lowest", "highest", "runs"]


def read_runs(folders: Sequence[Path], metric: str | None) -> tuple[pd.DataFrame, str]:
    """Return one row a run, its settings under dotted names and its value as `value`; and the name of the metric.

    Without a name, the metric is the usual one of the stage. Raises UserError for a run that is not finished, and for
    a metric that some lack.
    """
    settings, metrics = zip(*map(_read, folders), strict=True)
    values = pd.DataFrame([*metrics])
    shared = sorted(values.columns[values.notna().all()])
    name = metric or next((usual for usual in PREFERRED if usual in shared), " or ".join(PREFERRED))
    if name not in shared:
        raise UserError(f"metric {name} is not in all of these runs; they share: {', '.join(shared) or 'none'}")
    return pd.concat([*settings], ignore_index=True).fillna("-").assign(value=values[name]), name


def _read(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return a run's settings, one row, and the mean of its metrics over the tail."""
    try:
        settings = json.loads((folder / "config.json").read_text())
        rows = pd.read_json(folder / "metrics.jsonl", lines=True, convert_dates=False)
    except (OSError, ValueError) as error:
        advice = "name folders that hold result.json"
        raise UserError(f"{folder} is no finished run with metrics ({error}); {advice}") from None
    numbers = rows.drop(columns="step", errors="ignore").select_dtypes("number").tail(max(1, len(rows) // TAIL))
    texts = pd.json_normalize(settings).map(lambda value: value if isinstance(value, str) else json.dumps(value))
    return texts, numbers.mean()


def compare(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for runs that differ in nothing but the seed: the settings in which rows differ, then NUMBERS."""
    settings = runs.drop(columns=["value", "seed"], errors="ignore")
    axes = [name for name in settings if settings[name].nunique() > 1]
    groups = runs.groupby(axes or (lambda _: "all"), sort=False)["value"].agg(["mean", "min", "max", "count"])
    return groups.set_axis(NUMBERS, axis=1).reset_index()[[*axes, *NUMBERS]]


def table(rows: pd.DataFrame, metric: str) -> str:
    """Return the rows as a Markdown table."""
    numbers = {name: rows[name].map("{:.4g}".format) for name in NUMBERS}
    return to_markdown(
        [*rows.columns[: -len(NUMBERS)], metric, *NUMBERS[1:]], rows.assign(**numbers).to_numpy().tolist()
    )


def draw(rows: pd.DataFrame, metric: str, path: Path) -> None:
    """Write an SVG file: the means, with their ranges, against the only axis if that is numeric, else by name."""
    axes = [*rows.columns.difference(NUMBERS, sort=False)]
    names = [", ".join(f"{axis}={row[axis]}" for axis in axes) for _, row in rows.iterrows()]
    spans = [rows["mean"] - rows["lowest"], rows["highest"] - rows["mean"]]
    places = pd.to_numeric(rows[axes[0]], errors="coerce") if len(axes) == 1 else pd.Series([None])

    def plot(figure: Axes) -> None:
        if places.notna().all():
            figure.errorbar(places, rows["mean"], spans, fmt="o", capsize=3)
            figure.set(xlabel=axes[0], ylabel=metric)
        else:
            figure.errorbar(rows["mean"], names, xerr=spans, fmt="o", capsize=3)
            figure.set(xlabel=metric)
            figure.invert_yaxis()

    write_text(path, svg.drawn("compare", plot, 4 if places.notna().all() else 1 + 0.5 * len(rows)))
