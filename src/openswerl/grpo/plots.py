"""Pictures and samples for people: how the rewards are spread, and what the policy writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from openswerl.files import replacing
from openswerl.grpo.rollouts import Rollout
from openswerl.records import Instance

SHOWN = 8


def draw_rewards(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a PNG: the share of rewards in each bin over all steps, and the histogram of the last step."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    over_time, last = figure.subplots(1, 2, width_ratios=[2, 1])
    _over_time(over_time, rows)
    _last(last, rows[-1])
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110, metadata={"Software": None})


def _over_time(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    counts = np.array([row["reward_histogram"]["counts"] for row in rows], dtype=float)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    steps, bins = [row["step"] + 1 for row in rows], rows[-1]["reward_histogram"]
    extent = (steps[0] - 0.5, steps[-1] + 0.5, bins["low"], bins["high"])
    picture = axes.imshow(shares.T, origin="lower", aspect="auto", extent=extent, vmin=0, vmax=1, cmap="Blues")
    means = [np.nan if row["reward_mean"] is None else row["reward_mean"] for row in rows]
    axes.plot(steps, means, color="black", linewidth=1, label="mean")
    axes.set(xlabel="step", ylabel="reward", title="share of samples")
    axes.legend(loc="lower right", frameon=False)
    axes.figure.colorbar(picture, ax=axes)


def _last(axes: Axes, row: Mapping[str, Any]) -> None:
    bins = row["reward_histogram"]
    edges = np.linspace(bins["low"], bins["high"], len(bins["counts"]) + 1)
    axes.stairs(bins["counts"], edges, fill=True)
    axes.set(xlabel="reward", ylabel="samples", title=f"step {row['step'] + 1}")


def shown(rows: Sequence[Rollout], instances: Mapping[str, Instance]) -> list[dict[str, Any]]:
    """Return up to eight samples with issue and gold patch: masked ones, then from the lowest reward to the highest."""
    ranked = sorted(rows, key=lambda row: -np.inf if row.reward is None else row.reward)
    places = np.unique(np.linspace(0, len(ranked) - 1, SHOWN).round().astype(int))
    return [
        {
            "step": row.step,
            "instance_id": row.instance_id,
            "sample": row.sample,
            "reward": row.reward,
            "reason": row.reason,
            "issue": instances[row.instance_id].problem_statement,
            "output": row.output,
            "golden_patch": instances[row.instance_id].golden_patch,
        }
        for row in (ranked[place] for place in places)
    ]
