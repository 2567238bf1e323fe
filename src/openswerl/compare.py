"""Any set of runs of one stage side by side: a metric against the settings in which they differ."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openswerl.errors import UserError

PREFERRED = ("reward_mean", "gate/greedy/resolved_rate")
TAIL = 10  # a training run is told by the mean of the last tenth of its steps


@dataclass(frozen=True)
class Run:
    """One finished run: its settings under dotted names, and its metrics, those of training as means of the tail."""

    folder: Path
    settings: dict[str, str]
    metrics: dict[str, float]

    @property
    def seed(self) -> str:
        """The seed; runs that differ in nothing else are one row."""
        return self.settings.get("seed", "")


@dataclass(frozen=True)
class Row:
    """Runs alike but for the seed: the settings in which rows differ, the mean over the runs and their range."""

    settings: dict[str, str]
    runs: int
    mean: float
    low: float
    high: float


def read_run(folder: Path) -> Run:
    """Read a run's config.json and metrics.jsonl. Raises UserError if it is not finished or has no metrics."""
    try:
        settings = json.loads((folder / "config.json").read_text())
        rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    except (OSError, ValueError) as error:
        raise UserError(
            f"{folder} is no finished run with metrics ({error}); name folders that hold result.json"
        ) from None
    tail = rows[-max(1, len(rows) // TAIL) :]
    names = {name for row in tail for name, value in row.items() if _is_number(value) and name != "step"}
    metrics = {name: _mean(row[name] for row in tail if _is_number(row.get(name))) for name in sorted(names)}
    return Run(folder, dict(_flat(settings)), metrics)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found)


def _flat(value: Any, prefix: str = "") -> Iterable[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(item, f"{prefix}.{key}" if prefix else key)
    else:
        yield prefix, value if isinstance(value, str) else json.dumps(value)


def choose_metric(runs: Sequence[Run], wanted: str | None) -> str:
    """Return the metric to compare: the wanted one, else its stage's usual one. Raises UserError if some lack it."""
    shared = set.intersection(*(set(run.metrics) for run in runs))
    name = wanted or next((usual for usual in PREFERRED if usual in shared), "")
    if name not in shared:
        raise UserError(
            f"metric {name or '(the usual ones)'} is not in all of these runs; they share: {', '.join(sorted(shared))}"
        )
    return name


def axes_of(runs: Sequence[Run]) -> list[str]:
    """Return the settings in which the runs differ, but for the seed."""
    names = dict.fromkeys(name for run in runs for name in run.settings if name != "seed")
    return [name for name in names if len({run.settings.get(name) for run in runs}) > 1]


def rows_of(runs: Sequence[Run], metric: str) -> list[Row]:
    """Return one row for runs that differ in nothing but the seed, in order of appearance."""
    axes = axes_of(runs)
    groups: dict[tuple[str, ...], list[float]] = {}
    for run in runs:
        groups.setdefault(tuple(run.settings.get(axis, "-") for axis in axes), []).append(run.metrics[metric])
    return [
        Row(dict(zip(axes, key, strict=True)), len(values), _mean(values), min(values), max(values))
        for key, values in groups.items()
    ]


def to_markdown(rows: Sequence[Row], metric: str) -> str:
    """Return the rows as a Markdown table."""
    axes = list(rows[0].settings)
    lines = [[*axes, metric, "lowest", "highest", "runs"], ["---"] * (len(axes) + 4)]
    lines += [
        [*row.settings.values(), f"{row.mean:.4g}", f"{row.low:.4g}", f"{row.high:.4g}", str(row.runs)] for row in rows
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def plot(rows: Sequence[Row], metric: str, path: Path) -> None:
    """Draw the rows to an image file: against a numeric axis if that is the only one, else one below the other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4 if _numeric(rows) else 1 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    means, spans = (
        [row.mean for row in rows],
        [[row.mean - row.low for row in rows], [row.high - row.mean for row in rows]],
    )
    if places := _numeric(rows):
        axes.errorbar(places, means, spans, fmt="o", capsize=3)
        axes.set(xlabel=next(iter(rows[0].settings)), ylabel=metric)
    else:
        names = [", ".join(f"{name}={value}" for name, value in row.settings.items()) or "runs" for row in rows]
        axes.errorbar(means, names, xerr=spans, fmt="o", capsize=3)
        axes.set(xlabel=metric)
        axes.invert_yaxis()
    figure.savefig(path)


def _numeric(rows: Sequence[Row]) -> list[float]:
    """Return the values of the only axis, empty if there are several or they are no numbers."""
    if len(rows[0].settings) != 1:
        return []
    try:
        return [float(next(iter(row.settings.values()))) for row in rows]
    except ValueError:
        return []
