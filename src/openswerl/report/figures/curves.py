"""Curves over the GRPO steps, each labelled at its right end in place of a legend."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator

from openswerl.report.figures import svg
from openswerl.report.inputs import Training
from openswerl.report.rows import Step


def smooth(values: Sequence[float]) -> np.ndarray:
    """Return a centred moving mean over about a tenth of the values; few values stay as they are."""
    half = len(values) // 20
    padded = np.pad(np.asarray(values, dtype=float), half, mode="edge")
    return np.convolve(padded, np.ones(2 * half + 1) / (2 * half + 1), mode="valid")


def curve(
    axes: Axes, steps: Sequence[Step], value: Callable[[Step], float | None], colour: str, label: str
) -> Annotation:
    """Draw one quantity over the steps that have it, raw and smoothed; return the label at its right end."""
    points = [(step.step, number) for step in steps if (number := value(step)) is not None]
    x, y = [step for step, _ in points], [number for _, number in points]
    axes.plot(x, y, color=colour, alpha=0.25, linewidth=1)
    line = smooth(y)
    axes.plot(x, line, color=colour)
    return end_label(axes, x[-1], line[-1], colour, label)


def end_label(axes: Axes, x: float, y: float, colour: str, label: str) -> Annotation:
    """Write a label to the right of a curve's end."""
    return axes.annotate(
        label,
        (x, y),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        annotation_clip=False,
    )


def spread(axes: Axes, found: Iterable[Annotation], gap: float) -> None:
    """Move labels apart by at least `gap` of the y axis, in their vertical order."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # lays out, so that the height is final
    low, high = axes.get_ylim()
    points = axes.bbox.height * 72 / figure.dpi
    floor = -np.inf
    for text in sorted(found, key=lambda item: item.xy[1]):
        place = (text.xy[1] - low) / (high - low)
        floor = max(place, floor + gap)
        text.set_position((8, (floor - place) * points))


def training(run: Training) -> str:
    """Draw the training objective and the format rate of one run."""
    colour = svg.colour(f"grpo-{run.reward}")

    def draw(axes: Axes) -> None:
        axes.set_ylim(-1.05, 1.05)
        axes.set_yticks([-1, -0.5, 0, 0.5, 1])
        form = curve(axes, run.steps, lambda step: step.format_rate, svg.MUTED, "format rate")
        reward = curve(axes, run.steps, lambda step: step.reward_mean, colour, "mean reward")
        _over_steps(axes)
        axes.set_title(svg.run_title(run.reward, run.seed))
        spread(axes, [form, reward], 0.09)

    return svg.drawn(f"training-{run.reward}-{run.seed}", draw, 3.6)


def over_steps(
    name: str, title: str, runs: Sequence[Training], value: Callable[[Step], float], top: float | None
) -> str:
    """Draw one quantity of every run in one pair of axes, from zero to `top` or to what the data need."""

    def draw(axes: Axes) -> None:
        found = [
            curve(axes, run.steps, value, svg.colour(f"grpo-{run.reward}"), svg.seeded(run.reward, run.seed))
            for run in runs
        ]
        axes.set_ylim(0, top if top else axes.get_ylim()[1] * 1.05)
        _over_steps(axes)
        axes.set_title(title)
        spread(axes, found, 0.1)

    return svg.drawn(name, draw, 3.0)


def _over_steps(axes: Axes) -> None:
    axes.grid(axis="y", color=svg.RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("step")
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    axes.margins(x=0.01)
