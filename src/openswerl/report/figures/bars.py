"""Rates as horizontal bars with intervals and seeds: the resolve rates of all policies, and the paper's."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes

from openswerl.report import labels, paper
from openswerl.report.figures import captions
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.palette import INK, MUTED, PAGE, RULE, look
from openswerl.report.figures.pooled import Pooled, pooled
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.inputs import Evaluation

ROW = 0.72  # inches
FRAME = 0.9


def resolved(evaluations: Sequence[Evaluation], setting: Setting) -> Drawing:
    """Draw the greedy resolve rates of every policy, one bar a split."""
    splits = list(setting.settings.splits)
    rates = [pooled(evaluations, split, "resolved", setting.settings) for split in splits]
    policies = list(dict.fromkeys(item.policy for item in evaluations))

    def draw(axes: Sequence[Axes]) -> None:
        for rank, found in enumerate(rates):
            shift = (rank - (len(splits) - 1) / 2) * 0.4
            for row in found:
                bar(axes[0], policies.index(row.policy) + shift, row, 0.36, faint=rank > 0)
        frame(axes[0], [labels.policy(policy) for policy in policies])
        axes[0].set_title("This run: resolved %")

    title = "Resolve rates of this run, greedy decoding"
    shades = [("full colour: " if rank == 0 else "pale: ") + labels.split(split) for rank, split in enumerate(splits)]
    sizes = [size(found) for found in rates if found]
    caption = f"{title}. {labels.capital('; '.join(shades))}. {interval(rates[0], setting, sizes)}"
    foot = f"{setting.short}; n = {', '.join(sizes)}; lines: {setting.confidence} intervals{dots(rates[0])}"
    return drawing("resolved", title, caption, foot, draw, [FRAME + ROW * len(policies)])


def paper_resolved(policies: Sequence[str]) -> Drawing:
    """Draw the paper's resolve rates in the order of these policies."""
    names = list(dict.fromkeys(labels.parted(policy)[0] for policy in policies))

    def draw(axes: Sequence[Axes]) -> None:
        for place, policy in enumerate(names):
            printed = paper.ROWS.get(policy)
            if printed:
                axes[0].barh(place, printed.resolved, 0.36, color=look(policy).colour)
            text = f"{printed.resolved:.1f}" if printed else "not in the paper"
            axes[0].text(printed.resolved + 1.5 if printed else 1.5, place, text, va="center", color=MUTED)
        frame(axes[0], [labels.policy(policy) for policy in names])
        axes[0].set_title("Paper: resolved %")

    title = "Resolve rates of the paper"
    told = f"The same rows: SWE-bench Verified, n = {paper.INSTANCES}, a 70B model: a different benchmark."
    caption = f"{title}. {told} The paper prints no intervals. Compare the order, not the height."
    foot = f"{captions.PAPER}; n = {paper.INSTANCES}; no intervals printed"
    return drawing("paper-resolved", title, caption, foot, draw, [FRAME + ROW * len(names)])


def bar(axes: Axes, place: float, row: Pooled, height: float, *, faint: bool = False) -> None:
    """Draw a rate in percent: a bar, its interval as a line, and a dot for each seed of several."""
    value, low, high = (100 * part for part in (row.rate.value, row.rate.low, row.rate.high))
    axes.barh(place, value, height, color=look(row.policy).colour, alpha=0.45 if faint else 1)
    for colour, width in ((PAGE, 3.0), (INK, 1.2)):  # a rim, as the line crosses the bar
        axes.plot([low, high], [place, place], color=colour, linewidth=width)
    seeds = [100 * seed for seed in row.seeds] if len(row.seeds) > 1 else []
    places = place + np.linspace(-height / 3, height / 3, len(seeds))
    axes.plot(seeds, places, "o", color=PAGE, markeredgecolor=INK, markeredgewidth=0.9, markersize=4)
    axes.text(max(high, *seeds, 0) + 1.5, place, f"{value:.1f}", va="center", color=INK)


def frame(axes: Axes, names: Sequence[str]) -> None:
    """Set axes from 0 to 100 percent with one named row from the top for each bar."""
    axes.set_xlim(0, 112)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelcolor=INK)
    axes.grid(axis="x", color=RULE, linewidth=0.8)
    axes.spines["bottom"].set_visible(False)


def size(rows: Iterable[Pooled]) -> str:
    """Return how many answers are behind each rate: instances, and seeds if there are several."""
    sizes = sorted({(row.instances, len(row.seeds)) for row in rows})
    each = [f"{n} \N{MULTIPLICATION SIGN} {seeds} seeds" if seeds > 1 else f"{n}" for n, seeds in sizes]
    return " to ".join(dict.fromkeys([*each[:1], *each[-1:]])) or "0"


def dots(rows: Iterable[Pooled]) -> str:
    """Return what dots are, for the foot; nothing where there are none."""
    return "; dots: seeds" if any(len(row.seeds) > 1 for row in rows) else ""


def interval(rows: Sequence[Pooled], setting: Setting, sizes: Sequence[str]) -> str:
    """Return the end of a caption: n, intervals, seeds, where patches ran, and the scale."""
    several = any(len(row.seeds) > 1 for row in rows)
    kind = "bootstrap over instances, all seeds of an instance together" if several else "Wilson"
    lines = f"Lines: {setting.confidence} intervals ({kind})"
    seeds = "; dots: each seed. They cover the choice of instances, not the randomness of training" if several else ""
    return f"n = {', '.join(sizes)}. {lines}{seeds}; executed in: {setting.sandbox}. {setting.label}."
