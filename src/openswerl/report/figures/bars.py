"""Bars: rewards at the start and at the end of training, and resolve rates beside the paper's."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes

from openswerl.report import labels, paper
from openswerl.report.figures import svg
from openswerl.report.inputs import Training
from openswerl.report.rates import RateRow
from openswerl.report.rows import Rollout

BINS = 10


def histogram(run: Training) -> str:
    """Draw the rewards of the first and of the last fifth of the steps."""
    steps = sorted({row.step for row in run.rollouts})
    size = max(1, len(steps) // 5)
    early, late = (shares(run.rollouts, set(part)) for part in (steps[:size], steps[-size:]))
    colour = svg.colour(f"grpo-{run.reward}")
    span = f"{size} steps" if size > 1 else "step"

    def draw(axes: Axes) -> None:
        place = np.arange(len(early))
        axes.bar(place - 0.2, early, 0.38, color=svg.SERIES["base"])
        axes.bar(place + 0.2, late, 0.38, color=colour)
        names = ["error", *(f"{k / BINS:.1f}".lstrip("0") if k else "0" for k in range(BINS)), "1"]
        axes.set_xticks(place, names)
        axes.set_xlabel("reward (lower edge of the bin)")
        axes.grid(axis="y", color=svg.RULE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_title(f"{svg.run_title(run.reward, run.seed)}, % of samples")
        axes.text(0.5, 0.95, f"first {span}", color=svg.MUTED, ha="center", transform=axes.transAxes)
        axes.text(0.5, 0.86, f"last {span}", color=colour, ha="center", transform=axes.transAxes)

    return svg.drawn(f"histogram-{run.reward}-{run.seed}", draw, 3.2)


def shares(rollouts: Iterable[Rollout], steps: set[int]) -> np.ndarray:
    """Return percentages of the scored samples: format errors, ten bins of [0, 1), exactly 1."""
    rewards = np.array([row.reward for row in rollouts if row.step in steps and row.reward is not None])
    places = np.where(rewards < 0, 0, 1 + np.floor(np.clip(rewards, 0, 1) * BINS)).astype(int)
    return 100 * np.bincount(places, minlength=BINS + 2) / max(1, len(rewards))


def resolved(rows: Sequence[RateRow], splits: Sequence[str], seeds: int) -> str:
    """Draw resolve rates with intervals, one group of bars for each policy and seed."""
    groups = list(dict.fromkeys((row.policy, row.seed) for row in rows))
    names = [labels.policy(policy) + (f", seed {seed}" if seeds > 1 else "") for policy, seed in groups]

    def draw(axes: Axes) -> None:
        for row in rows:
            rank = splits.index(row.split)
            place = groups.index((row.policy, row.seed)) + (rank - (len(splits) - 1) / 2) * 0.4
            _bar(axes, place, row, svg.colour(row.policy), 0.36, faint=rank > 0)
        _policies(axes, names)
        axes.set_title("This run: resolved %")

    return svg.drawn("resolved", draw, 0.9 + 0.72 * len(groups))


def paper_resolved(policies: Sequence[str]) -> str:
    """Draw the paper's resolve rates in the order of these policies."""

    def draw(axes: Axes) -> None:
        for place, policy in enumerate(policies):
            printed = paper.ROWS.get(policy)
            if printed:
                axes.barh(place, printed.resolved, 0.36, color=svg.colour(policy))
            text = f"{printed.resolved:.1f}" if printed else "not in the paper"
            axes.text(printed.resolved + 1.5 if printed else 1.5, place, text, va="center", color=svg.MUTED)
        _policies(axes, [labels.policy(policy) for policy in policies])
        axes.set_title("Paper: SWE-bench Verified, another benchmark")

    return svg.drawn("paper-resolved", draw, 0.9 + 0.72 * len(policies))


def _bar(axes: Axes, place: float, row: RateRow, colour: str, height: float, *, faint: bool) -> None:
    value, low, high = (100 * part for part in (row.resolved.value, row.resolved.low, row.resolved.high))
    axes.barh(place, value, height, color=colour, alpha=0.45 if faint else 1)
    axes.plot([low, high], [place, place], color=svg.INK, linewidth=1.2)
    axes.text(high + 1.5, place, f"{value:.1f}", va="center", color=svg.INK)


def _policies(axes: Axes, names: Sequence[str]) -> None:
    axes.set_xlim(0, 108)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelcolor=svg.INK)
    axes.grid(axis="x", color=svg.RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines["bottom"].set_visible(False)
