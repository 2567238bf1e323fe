"""Resolve rate over repair samples and over reproduction tests: the two panels of the paper's Figure 4, and ours."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from openswerl.report import labels, paper
from openswerl.report.evaluated import Point
from openswerl.report.figures import captions
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.curves import end_label, spread
from openswerl.report.figures.palette import MUTED, PAGE, RULE, look
from openswerl.report.figures.panels import parted
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.inputs import Evaluation

NAMES = {"repair": "repair samples", "tests": "reproduction tests"}
SPREAD = 0.36  # of the distance between two sizes
HEIGHT = 3.4  # inches


class Place(NamedTuple):
    """A point of a curve in percent: means over seeds of the rate and of the ends of its interval, and each seed's."""

    k: int
    rate: float
    low: float
    high: float
    seeds: list[float]


class Curve(NamedTuple):
    """The points of one policy; `instances` are the fewest and most behind one."""

    policy: str
    points: list[Place]
    instances: tuple[int, int]


def drawings(evaluations: Sequence[Evaluation], setting: Setting) -> dict[str, Drawing]:
    """Return "scaling-repair" and "scaling-tests" of each variant, those that have a point, each with the paper's."""
    split = list(setting.settings.splits)[0]
    found = {axis: curves(evaluations, split, axis) for axis in NAMES}
    top = min(100.0, 1.08 * max((p.high for every in found.values() for c in every for p in c.points), default=0))
    drawn: dict[str, Drawing] = {}
    for axis, every in found.items():
        for variant in sorted({parted(one.policy)[1] for one in every}):
            name = f"scaling-{axis}-{variant}" if variant else f"scaling-{axis}"
            own = [one for one in every if parted(one.policy)[1] == variant]
            drawn[name] = _ours(name, axis, own, top, setting)
        if every:
            drawn[f"paper-scaling-{axis}"] = _papers(axis)
    return drawn


def curves(evaluations: Sequence[Evaluation], split: str, axis: str) -> list[Curve]:
    """Return the curve of each policy that has one, over its seeds."""
    seeds: dict[str, list[Sequence[Point]]] = {}
    for item in evaluations:
        own = item.mini.splits.get(split) if item.mini else None
        points = [point for point in (own.scaling.get(axis, []) if own else []) if point.rate is not None]
        if points:
            seeds.setdefault(item.policy, []).append(points)
    return [_curve(policy, points) for policy, points in seeds.items()]


def _curve(policy: str, seeds: Sequence[Sequence[Point]]) -> Curve:
    by_size: dict[int, list[Point]] = {}
    for point in sorted((point for seed in seeds for point in seed), key=lambda point: point.k):
        by_size.setdefault(point.k, []).append(point)
    judged = [point.instances for seed in seeds for point in seed]
    return Curve(policy, [_place(k, points) for k, points in by_size.items()], (min(judged), max(judged)))


def _place(k: int, points: Sequence[Point]) -> Place:
    rates = [100 * (point.rate or 0) for point in points]
    ends = ([100 * (point.low or 0) for point in points], [100 * (point.high or 0) for point in points])
    return Place(k, _mean(rates), _mean(ends[0]), _mean(ends[1]), rates if len(points) > 1 else [])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _ours(name: str, axis: str, found: Sequence[Curve], top: float, setting: Setting) -> Drawing:
    sizes = sorted({point.k for one in found for point in one.points})
    variant = parted(found[0].policy)[1]
    several = any(point.seeds for one in found for point in one.points)

    def draw(axes: Sequence[Axes]) -> None:
        axes[0].set_ylim(0, top)
        ends = [_line(axes[0], one, sizes, _shift(rank, len(found))) for rank, one in enumerate(found)]
        _frame(axes[0], sizes, f"{NAMES[axis]} drawn from the run")
        axes[0].set_title(f"{f'{variant}: r' if variant else 'R'}esolved %, by {NAMES[axis]}")
        spread(axes[0], ends)

    title = f"Figure 4: resolved by {NAMES[axis]}" + (f" ({variant})" if variant else "")
    n = _between([count for one in found for count in one.instances])
    seeds = "Line: mean over seeds; dots: each seed; bars: the interval of one seed, its ends averaged. " if several else ""
    told = f"Means over draws and instances; bars: {setting.confidence} bootstrap over instances, policies set side by side."
    place = labels.capital(labels.split(list(setting.settings.splits)[0]))
    caption = f"{title}. {place}; n = {n} instances. {told} {seeds}Executed in: {setting.executed}. {setting.label}."
    foot = f"{setting.short}; n = {n} instances; bars: {setting.confidence} intervals{'; dots: seeds' if several else ''}"
    return drawing(name, title, caption, foot, draw, [HEIGHT])


def _between(counts: Sequence[int]) -> str:
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _shift(rank: int, curves: int) -> float:
    """Set the curves side by side, so that no interval hides another."""
    return SPREAD * (rank / (curves - 1) - 0.5) if curves > 1 else 0.0


def _line(axes: Axes, one: Curve, sizes: Sequence[int], shift: float) -> Annotation:
    own = look(one.policy)
    places = [sizes.index(point.k) + shift for point in one.points]
    for place, point in zip(places, one.points, strict=True):
        axes.plot([place, place], [point.low, point.high], color=own.colour, linewidth=1, alpha=0.55)
        axes.plot([place] * len(point.seeds), point.seeds, "o", color=PAGE, markeredgecolor=own.colour, markersize=3)
    rates = [point.rate for point in one.points]
    axes.plot(places, rates, color=own.colour, linestyle=own.dashes, marker=own.marker, markersize=4.5)
    label = labels.policy(parted(one.policy)[0])
    return end_label(axes, len(sizes) - 1 + SPREAD / 2, rates[-1], own.colour, label)


def _papers(axis: str) -> Drawing:
    """Draw the paper's curve, which has an axis of its own."""
    printed: Mapping[int, float] = paper.SCALING[axis]
    title = f"Figure 4 of the paper: resolved by {NAMES[axis]}"

    def draw(axes: Sequence[Axes]) -> None:
        axes[0].plot(range(len(printed)), [*printed.values()], color=look("grpo-continuous").colour, marker="o", markersize=4.5)
        for place, value in enumerate(printed.values()):
            axes[0].annotate(f"{value:.1f}", (place, value), (0, 8), textcoords="offset points", ha="center", color=MUTED)
        _frame(axes[0], [*printed], NAMES[axis])
        axes[0].set_ylim(30, 44)
        axes[0].set_title(f"Paper: resolved %, by {NAMES[axis]}")

    told = f"Llama3-SWE-RL-70B on SWE-bench Verified, n = {paper.INSTANCES}: a different benchmark, on an axis of its own that"
    caption = f"{title}. {told} does not begin at 0. The paper prints no intervals. Compare the form, not the height."
    foot = f"{captions.PAPER}; n = {paper.INSTANCES}; no intervals printed; axis from 30"
    return drawing(f"paper-scaling-{axis}", title, caption, foot, draw, [HEIGHT])


def _frame(axes: Axes, sizes: Sequence[int], name: str) -> None:
    axes.set_xlim(-0.4, len(sizes) - 0.6)
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    axes.set_xlabel(name)
    axes.grid(axis="y", color=RULE, linewidth=0.8)
