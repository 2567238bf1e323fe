"""The data funnel as bars: what each step let through, and what it dropped; the paper's on an axis of its own."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from openswerl.report import paper
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.palette import INK, look
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.rows import FunnelRow

COLOUR = look("sft").colour
STEP_HEIGHT = 0.36  # inches
FRAME = 0.9


class Bar(NamedTuple):
    """One step: pull requests left after it, and dropped by it for any reason."""

    name: str
    left: int
    dropped: int


def steps(rows: Iterable[FunnelRow]) -> list[Bar]:
    """Return one bar a step, in order, all its reasons together."""
    bars: dict[str, Bar] = {}
    for row in rows:
        before = bars.get(row.step, Bar(row.step, 0, 0))
        bars[row.step] = Bar(row.step, row.left, before.dropped + row.dropped)
    return [bar._replace(name=bar.name.replace("_", " ")) for bar in bars.values()]


def funnel(rows: Sequence[FunnelRow], setting: Setting) -> Drawing:
    """Draw this run's funnel: full colour is left, pale is dropped."""
    bars = steps(rows)

    def draw(found: Sequence[Axes]) -> None:
        axes = found[0]
        for place, bar in enumerate(bars):
            axes.barh(place, bar.left, 0.6, color=COLOUR)
            axes.barh(place, bar.dropped, 0.6, left=bar.left, color=COLOUR, alpha=0.25)
            text = f"{bar.left:,}" + (f"  \N{MINUS SIGN}{bar.dropped:,}" if bar.dropped else "")
            _label(axes, place, bar.left + bar.dropped, text)
        _frame(axes, [bar.name for bar in bars], "This run: pull requests left", _top(bars))

    title = "Data funnel of this run"
    n = f"n = {bars[0].left + bars[0].dropped:,} pull requests"
    told = "Full colour: left after the step; pale: dropped by it. All are counted, so there is no interval"
    caption = f"{title}. {told}; {n}. {setting.label}."
    foot = f"{setting.short}; {n}, counts without interval"
    return drawing("funnel", title, caption, foot, draw, [FRAME + STEP_HEIGHT * len(bars)])


def paper_funnel() -> Drawing:
    """Draw the numbers that the paper prints, in millions."""
    counts = list(paper.FUNNEL.values())

    def draw(found: Sequence[Axes]) -> None:
        axes = found[0]
        for place, count in enumerate(counts):
            axes.barh(place, count, 0.6, color=look("base").colour)
            text = f"{count / 1e6:.0f}M" if count >= 1e6 else f"{count / 1e3:.0f}k"
            _label(axes, place, count, text)
        _frame(axes, list(paper.FUNNEL), "Paper: another scale", max(counts))

    title = "Data funnel of the paper"
    told = "Its pull requests (section 2, appendix A): 24M aggregated, about 11M unique after the filters, 273k seeds."
    caption = f"{title}. {told} Counts, so no interval. Its axis is its own; it counts no filter by itself."
    foot = "The paper's scale, counts without interval"
    return drawing("paper-funnel", title, caption, foot, draw, [FRAME + STEP_HEIGHT * len(counts)])


def _top(bars: Sequence[Bar]) -> int:
    return max(1, *(bar.left + bar.dropped for bar in bars))


def _label(axes: Axes, place: int, end: float, text: str) -> None:
    offset = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(text, (end, place), color=INK, **offset)  # type: ignore[arg-type]


def _frame(axes: Axes, names: Sequence[str], title: str, top: int) -> None:
    axes.set_xlim(0, 1.3 * top)
    axes.set_xticks([])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelcolor=INK)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title)
