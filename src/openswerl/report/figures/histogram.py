"""How the rewards of the training samples move: their distribution in each part of the training, all seeds together."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from openswerl.report.figures.captions import Setting, counted
from openswerl.report.figures.palette import INK, PAGE, look
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.inputs import Training
from openswerl.report.labels import parted
from openswerl.report.rows import Rollout

BINS = 10
PARTS = 8
DEEPEST = 0.6  # of the colour, so that a number on it can be read
BETWEEN = ["error", *(f"from {k / BINS:g}" for k in range(BINS)), "exactly 1"]
ENDS, APART = [0, 1, BINS + 1], ["error", "0", "exactly 1"]  # of a reward that is only ever an error, 0 or 1
Shares = NDArray[np.float64]


def heat_map(runs: Sequence[Training], setting: Setting) -> Drawing:
    """Draw the shares of the rewards, one column for each part of the steps, as shades with their numbers."""
    rollouts = [row for run in runs for row in run.rollouts]
    parts = np.array_split(sorted({row.step for row in rollouts}), PARTS)
    columns = {int(part[-1]) + 1: shares(rollouts, set(part.tolist())) for part in parts if len(part)}
    rows = shown(rollouts)
    names = BETWEEN if len(rows) == len(BETWEEN) else APART
    reward, variant = parted(runs[0].reward)
    name = f"{reward} ({variant})" if variant else reward

    def draw(axes: Sequence[Axes]) -> None:
        for x, found in enumerate(columns.values()):
            for y, row in enumerate(rows):
                _cell(axes[0], x, y, found[row], look(f"grpo-{reward}").colour)
        _frame(axes[0], [*map(str, columns)], names)
        axes[0].set_title(f"Rewards of {name}, % of samples")

    title = f"Rewards of the training samples over training: {name}"
    told = "Each column is a part of the steps, up to its number, and adds up to 100 %; error: a negative reward "
    told += "(format error, unfinished answer or time-out)."
    caption = f"{title}. {told} n = {counted(runs)}, all counted, so no interval. {setting.label}."
    foot = f"{setting.short}; n = {counted(runs)}, counts without interval"
    height = 1.05 + 0.29 * len(rows)
    return drawing(f"rewards-{runs[0].reward.replace('@', '-')}", title, caption, foot, draw, [height])


def shares(rollouts: Iterable[Rollout], steps: set[int]) -> Shares:
    """Return percentages of the scored samples: format errors, ten bins of [0, 1), exactly 1."""
    rewards = np.array([row.reward for row in rollouts if row.step in steps and row.reward is not None])
    places = np.where(rewards < 0, 0, 1 + np.floor(np.clip(rewards, 0, 1) * BINS)).astype(int)
    return 100 * np.bincount(places, minlength=BINS + 2) / max(1, len(rewards))


def shown(rollouts: Iterable[Rollout]) -> list[int]:
    """Return the bins worth a row: all, or three where no reward lies between 0 and 1."""
    between = any(row.reward is not None and 0 < row.reward < 1 for row in rollouts)
    return list(range(BINS + 2)) if between else ENDS


def _cell(axes: Axes, x: int, y: int, share: float, colour: str) -> None:
    if share == 0:
        return
    alpha = DEEPEST * np.sqrt(share / 100)
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, alpha=alpha, edgecolor=PAGE, linewidth=0.8))
    text = f"{share:.0f}" if share >= 0.5 else "<1"
    axes.text(x, y, text, ha="center", va="center", color=INK, fontsize=10, in_layout=False)


def _frame(axes: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("steps up to")
    axes.spines["bottom"].set_visible(False)
