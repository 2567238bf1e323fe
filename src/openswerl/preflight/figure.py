"""The rewards at a glance, as a PNG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from omegaconf import DictConfig

from openswerl.files import replacing
from openswerl.preflight.numbers import reward_of
from openswerl.preflight.sampling import Sample


def draw(found: Mapping[str, Any], samples: Sequence[Sample], rules: DictConfig, penalty: float, path: Path) -> None:
    """Write the histogram of the sampled rewards, and the rewards of each instance."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    histogram, dots = figure.subplots(1, 2, width_ratios=[1, 1.5])
    _histogram(histogram, found, rules)
    _dots(dots, samples, penalty, rules)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110, metadata={"Software": None})


def _histogram(axes: Axes, found: Mapping[str, Any], rules: DictConfig) -> None:
    axes.set(xlabel="reward", ylabel="samples", title="all samples", xlim=(-1.08, 1.08))
    ready = f"ready from a mean of {rules.ready_mean}"
    axes.axvline(rules.ready_mean, color="#1f2328", linewidth=1, linestyle="--", label=ready)
    if bins := found["reward_histogram"]:
        edges = np.linspace(bins["low"], bins["high"], len(bins["counts"]) + 1)
        axes.stairs(bins["counts"], edges, fill=True, color="#4a76b0")
        axes.axvline(found["reward_mean"], color="#c0561c", linewidth=1.5, label=f"mean {found['reward_mean']:.2f}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, frameon=False, fontsize="small")


def _dots(axes: Axes, samples: Sequence[Sample], penalty: float, rules: DictConfig) -> None:
    names = list(dict.fromkeys(sample.instance_id for sample in samples))
    for place, name in enumerate(names):
        rewards = [reward_of(sample, penalty) for sample in samples if sample.instance_id == name]
        there = [reward for reward in rewards if reward is not None]
        shift = np.linspace(-0.25, 0.25, len(there)) if len(there) > 1 else [0.0] * len(there)
        axes.scatter([place + s for s in shift], there, s=14, color="#4a76b0", alpha=0.8)
    axes.axhspan(rules.near_match, 1.02, color="#0b7a70", alpha=0.12, linewidth=0)
    axes.set(xlabel="instance", ylabel="reward", title="instance by instance (shaded: near match)", ylim=(-1.08, 1.08))
    axes.set_xticks(range(len(names)), [str(number + 1) for number in range(len(names))])
