"""The upper half of the paper's Figure 5: correct format and repair of each reward, the paper's numbers below ours."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from openswerl.report import labels, paper
from openswerl.report.figures import bars
from openswerl.report.figures.captions import PAPER, Setting
from openswerl.report.figures.palette import MUTED, RULE, look
from openswerl.report.figures.pooled import Pooled, pooled
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.inputs import Evaluation

HEIGHT = 0.55
ROW = 0.36  # inches
FRAME = 0.75


def figure5(evaluations: Sequence[Evaluation], setting: Setting) -> Drawing:
    """Draw both panels: each reward of the grid on the first split, greedy, then the rewards that the paper has."""
    trained = sorted(
        (item for item in evaluations if item.policy.startswith("grpo-")),
        key=lambda item: labels.parted(item.policy)[1] != "",
    )
    formats = pooled(trained, setting.split, "format", setting.settings)
    repairs = pooled(trained, setting.split, "resolved", setting.settings)
    printed = [name for name in dict.fromkeys(labels.parted(row.policy)[0] for row in formats) if name in paper.ROWS]

    def draw(axes: Sequence[Axes]) -> None:
        _panel(axes[0], formats, [(name, paper.ROWS[name].format) for name in printed])
        _panel(axes[1], repairs, [(name, paper.ROWS[name].resolved) for name in printed])
        axes[0].set_title("(a) Correct format %")
        axes[1].set_title("(b) Repair: resolved %")

    title = "Figure 5: correct format and repair by reward"
    told = (
        f"{labels.capital(labels.split(setting.split))}, greedy. Outlined: the paper, {PAPER}, n = {paper.INSTANCES},"
    )
    caption = f"{title}. {told} no intervals. {bars.interval(formats, setting, [bars.size(formats)])}"
    foot = f"{setting.short}; n = {bars.size(formats)}; lines: {setting.confidence} intervals{bars.dots(formats)}. "
    foot += f"Paper: {PAPER}, n = {paper.INSTANCES}"
    height = FRAME + ROW * max(1, len(formats) + len(printed))
    return drawing("figure5-rates", title, caption, foot, draw, [height, height])


def _panel(axes: Axes, rows: Sequence[Pooled], printed: Sequence[tuple[str, float]]) -> None:
    for place, row in enumerate(rows):
        bars.bar(axes, place, row, HEIGHT)
    for place, (name, value) in enumerate(printed, start=len(rows)):
        axes.barh(place, value, HEIGHT, facecolor="none", edgecolor=look(name).colour, linewidth=1.2)
        axes.text(value + 1.5, place, f"{value:.1f}", va="center", color=MUTED)
    axes.axhline(len(rows) - 0.5, color=RULE, linewidth=0.8)
    ours = [labels.policy(row.policy).removeprefix("GRPO ") for row in rows]
    bars.frame(axes, [*ours, *(f"paper: {name.removeprefix('grpo-')}" for name, _ in printed)])
