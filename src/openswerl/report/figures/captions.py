"""What every caption says: the scale, where patches ran, and how much is behind a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openswerl.report import labels, prose
from openswerl.report.inputs import Inputs, Training

PAPER = "SWE-bench Verified, another benchmark"


@dataclass(frozen=True)
class Setting:
    """What goes with every figure: the scale in a few words, all labels of the run, where patches ran, the settings."""

    short: str
    label: str
    sandbox: str
    executed: str
    settings: Any

    @property
    def split(self) -> str:
        """The first split, which figures of one split show."""
        return str(next(iter(self.settings.splits)))

    @property
    def confidence(self) -> str:
        """The confidence level in percent."""
        return f"{100 * self.settings.confidence:g}\N{NARROW NO-BREAK SPACE}%"


def setting(scale: str, settings: Any, inputs: Inputs) -> Setting:
    """Return what goes with every figure of this run."""
    label = labels.capital(prose.label(scale, settings, inputs))
    return Setting(prose.scale(scale, settings), label, inputs.sandbox, prose.executed(inputs), settings)


def counted(runs: Sequence[Training]) -> str:
    """Return how many runs, steps and samples there are."""
    steps = sorted({len(run.steps) for run in runs})
    span = f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
    many = f"{len(runs)} runs" if len(runs) > 1 else "1 run"
    return f"{many} of {span} step{'s' if steps[-1] > 1 else ''}, {sum(len(run.rollouts) for run in runs):,} samples"
