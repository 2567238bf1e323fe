"""Curves over the GRPO steps, each labelled at its right end in place of a legend."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator

from openswerl.report.figures.bands import Value, band
from openswerl.report.figures.palette import RULE
from openswerl.report.figures.panels import Panel, Series
from openswerl.report.figures.svg import settle

LINE = 14.0  # points between the middles of two labels


class Quantity(NamedTuple):
    """What a pair of axes shows: its title, its value at a step, and the least range of the y axis.

    A range without an upper end goes to what the data need.
    """

    title: str
    value: Value
    low: float
    high: float | None


def draw(axes: Sequence[Axes], panel: Panel, quantities: Sequence[Quantity]) -> None:
    """Draw one quantity of every series of the panel in each pair of axes."""
    found = []
    for place, quantity in zip(axes, quantities, strict=True):
        _frame(place, quantity)
        found.append([label for one in panel.series if (label := curve(place, one, quantity.value))])
        _range(place, quantity)
    axes[-1].set_xlabel("step")
    for place, labels in zip(axes, found, strict=True):
        spread(place, labels)


def curve(axes: Axes, series: Series, value: Value) -> Annotation | None:
    """Draw the seeds of one series: their range as a band, their mean smoothed and, pale, as it is; label its end.

    Draws nothing and returns None if no step has a value.
    """
    found = band(series.runs, value)
    if found is None:
        return None
    colour = series.look.colour
    if len(series.runs) > 1:
        axes.fill_between(found.steps, found.low, found.high, color=colour, alpha=0.2, linewidth=0)
    else:
        axes.plot(found.steps, found.raw, color=colour, alpha=0.3, linewidth=1)
    axes.plot(found.steps, found.mean, color=colour, linestyle=series.look.dashes)
    return end_label(axes, found.steps[-1], found.mean[-1], colour, series.label)


def end_label(axes: Axes, x: float, y: float, colour: str, label: str) -> Annotation:
    """Write a label to the right of a curve's end."""
    return axes.annotate(
        label,
        (x, y),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        annotation_clip=False,
    )


def spread(axes: Axes, found: Iterable[Annotation]) -> None:
    """Move labels apart by at least a line, in their vertical order, and none above the axes if they fit."""
    texts = sorted(found, key=lambda item: item.xy[1])
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    settle(figure)  # so that the height is final
    low, high = axes.get_ylim()
    points = axes.bbox.height * 72 / figure.dpi
    aims = [(text.xy[1] - low) / (high - low) * points for text in texts]
    for text, aim, place in zip(texts, aims, apart(aims, points), strict=True):
        text.set_position((8, place - aim))


def apart(aims: Sequence[float], top: float) -> list[float]:
    """Return places at least LINE apart and as far down as `top` asks, in the order of the rising aims."""
    places = list(aims)
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + LINE)
    ceiling = top
    for k in reversed(range(len(places))):
        places[k] = min(places[k], ceiling)
        ceiling = places[k] - LINE
    return places


def _frame(axes: Axes, quantity: Quantity) -> None:
    axes.grid(axis="y", color=RULE, linewidth=0.8)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.margins(x=0.01)
    axes.set_title(quantity.title)


def _range(axes: Axes, quantity: Quantity) -> None:
    """Set the y axis to the least range, wider where the data are."""
    low, high = axes.dataLim.intervaly
    low, high = (low, high) if np.isfinite([low, high]).all() else (0.0, 1.0)
    bottom = min(quantity.low, low)
    top = high if quantity.high is None else max(quantity.high, high)
    room = 0.03 * (top - bottom or 1)
    axes.set_ylim(bottom - room, top + room)
