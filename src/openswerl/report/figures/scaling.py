"""Resolve rate over repair samples and over reproduction tests: the two panels of the paper's Figure 4."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from openswerl.report import labels
from openswerl.report.evaluated import Point
from openswerl.report.figures import svg
from openswerl.report.figures.curves import end_label, spread
from openswerl.report.inputs import Evaluation

TITLES = {"repair": "Resolved %, by repair samples", "tests": "Resolved %, by reproduction tests"}
NAMES = {"repair": "repair samples drawn from the run", "tests": "reproduction tests drawn from the run"}
SPREAD = 0.36  # of the distance between two sizes
Curve = tuple[Evaluation, list[Point]]


def points(item: Evaluation, split: str, axis: str) -> list[Point]:
    """Return the points of one evaluation that have a rate, in order of k."""
    found = item.mini.splits.get(split) if item.mini else None
    return [point for point in (found.scaling.get(axis, []) if found else []) if point.rate is not None]


def panels(evaluations: Sequence[Evaluation], split: str) -> dict[str, str]:
    """Return "scaling-repair" and "scaling-tests", those that have a point, as SVG documents with one y axis."""
    found = {axis: [(item, points(item, split, axis)) for item in evaluations] for axis in TITLES}
    highs = [point.high or 0 for curves in found.values() for _, curve in curves for point in curve]
    top = min(100.0, 108 * max(highs, default=0))
    filled = {axis: [one for one in curves if one[1]] for axis, curves in found.items()}
    return {f"scaling-{axis}": _panel(axis, curves, top) for axis, curves in filled.items() if curves}


def _panel(axis: str, curves: Sequence[Curve], top: float) -> str:
    sizes = sorted({point.k for _, curve in curves for point in curve})

    def draw(axes: Axes) -> None:
        axes.set_ylim(0, top)
        axes.set_xlim(-0.4, len(sizes) - 0.6)
        found = [_curve(axes, one, sizes, _shift(rank, len(curves))) for rank, one in enumerate(curves)]
        axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        axes.set_xlabel(NAMES[axis])
        axes.grid(axis="y", color=svg.RULE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_title(TITLES[axis])
        spread(axes, found, 0.085)

    return svg.drawn(f"scaling-{axis}", draw, 3.6)


def _shift(rank: int, curves: int) -> float:
    """Set the curves side by side, so that no interval hides another."""
    return SPREAD * (rank / (curves - 1) - 0.5) if curves > 1 else 0.0


def _curve(axes: Axes, one: Curve, sizes: Sequence[int], shift: float) -> Annotation:
    item, curve = one
    colour = svg.colour(item.policy)
    places = [sizes.index(point.k) + shift for point in curve]
    rates = [100 * (point.rate or 0) for point in curve]
    for place, point in zip(places, curve, strict=True):
        axes.plot(
            [place, place], [100 * (point.low or 0), 100 * (point.high or 0)], color=colour, linewidth=1, alpha=0.55
        )
    axes.plot(places, rates, color=colour, marker="o", markersize=4)
    right = len(sizes) - 1 + SPREAD / 2
    return end_label(axes, right, rates[-1], colour, svg.seeded(labels.policy(item.policy), item.seed))
