"""The two panels of the paper's Figure 4: ours, and the paper's on axes of their own."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from openswerl.report import labels, paper
from openswerl.report.figures import captions
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.curves import end_label, spread
from openswerl.report.figures.palette import MUTED, PAGE, RULE, look
from openswerl.report.figures.scaling import AXES, Curve, curves
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.inputs import Evaluation
from openswerl.stages import DEFAULT

NAMES = dict(zip(AXES, ("repair samples", "reproduction tests"), strict=True))
SPREAD = 0.36  # of the distance between two sizes
HEIGHT = 3.4  # inches


def figure4(evaluations: Sequence[Evaluation], setting: Setting) -> dict[str, Drawing]:
    """Return "scaling-repair" and "scaling-tests" of each variant, those that have a point, each with the paper's."""
    found = {axis: curves(evaluations, setting.split, axis) for axis in AXES}
    top = min(100.0, 1.08 * max((p.high for every in found.values() for c in every for p in c.points), default=0))
    drawn: dict[str, Drawing] = {}
    for axis, every in found.items():
        variants = sorted({labels.parted(one.policy)[1] for one in every})
        for variant in variants:
            own = [one for one in every if labels.parted(one.policy)[1] == variant]
            told = (variant or DEFAULT) if variants != [""] else ""
            name = f"scaling-{axis}-{variant}" if variant else f"scaling-{axis}"
            drawn[name] = ours(name, axis, told, own, top, setting)
        if every:
            drawn[f"paper-scaling-{axis}"] = papers(axis)
    return drawn


def ours(name: str, axis: str, variant: str, found: Sequence[Curve], top: float, setting: Setting) -> Drawing:
    """Draw the curves of this run in axes up to `top` percent; a variant's name is told if it has one."""
    sizes = sorted({point.k for one in found for point in one.points})

    def draw(axes: Sequence[Axes]) -> None:
        axes[0].set_ylim(0, top)
        ends = [_line(axes[0], one, sizes, _shift(rank, len(found))) for rank, one in enumerate(found)]
        _frame(axes[0], sizes, f"{NAMES[axis]} drawn from the run")
        axes[0].set_title(f"{f'{variant}: r' if variant else 'R'}esolved %, by {NAMES[axis]}")
        spread(axes[0], ends)

    title = f"Figure 4: resolved by {NAMES[axis]}" + (f" ({variant})" if variant else "")
    return drawing(name, title, *_words(title, found, setting), draw, [HEIGHT])


def papers(axis: str) -> Drawing:
    """Draw the paper's curve."""
    printed = paper.SCALING[axis]

    def draw(axes: Sequence[Axes]) -> None:
        own = look("grpo-continuous")
        axes[0].plot(range(len(printed)), [*printed.values()], color=own.colour, marker=own.marker, markersize=4.5)
        for place, value in enumerate(printed.values()):
            above = {"xytext": (0, 8), "textcoords": "offset points", "ha": "center"}
            axes[0].annotate(f"{value:.1f}", (place, value), color=MUTED, **above)  # type: ignore[arg-type]
        _frame(axes[0], [*printed], NAMES[axis])
        axes[0].set_ylim(30, 44)
        axes[0].set_yticks([30, 35, 40])
        axes[0].set_title(f"Paper: resolved %, by {NAMES[axis]}")

    title = f"Figure 4 of the paper: resolved by {NAMES[axis]}"
    told = f"Llama3-SWE-RL-70B on SWE-bench Verified, n = {paper.INSTANCES}: a different benchmark. Its axis is its own"
    caption = f"{title}. {told} and begins at 30. The paper prints no intervals. Compare the form, not the height."
    foot = f"{captions.PAPER}; n = {paper.INSTANCES}; no intervals printed; axis from 30"
    return drawing(f"paper-scaling-{axis}", title, caption, foot, draw, [HEIGHT])


def _words(title: str, found: Sequence[Curve], setting: Setting) -> tuple[str, str]:
    """Return caption and foot."""
    several = any(point.seeds for one in found for point in one.points)
    counts = {count for one in found for count in one.instances}
    n = f"n = {' to '.join(map(str, sorted({min(counts), max(counts)})))} instances"
    bars = f"bars: {setting.confidence}"
    told = f"Means over draws and instances; {bars} bootstrap over instances, policies set side by side."
    told += " Line: mean over seeds; dots: each seed; bars: the ends of their intervals, averaged." if several else ""
    place = labels.capital(labels.split(setting.split))
    caption = f"{title}. {place}; {n}. {told} Executed in: {setting.executed}. {setting.label}."
    return caption, f"{setting.short}; {n}; {bars} intervals{'; dots: seeds' if several else ''}"


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
    label = labels.policy(labels.parted(one.policy)[0])
    return end_label(axes, len(sizes) - 1 + SPREAD / 2, rates[-1], own.colour, label)


def _frame(axes: Axes, sizes: Sequence[int], name: str) -> None:
    axes.set_xlim(-0.4, len(sizes) - 0.6)
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    axes.set_xlabel(name)
    axes.grid(axis="y", color=RULE, linewidth=0.8)
