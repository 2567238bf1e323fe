"""What every caption says: the scale, where patches ran, and how much is behind a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openswerl.report import prose
from openswerl.report.inputs import Inputs, Training

SHORT = {prose.LAPTOP: "laptop scale: not comparable"}
PAPER = "SWE-bench Verified, another benchmark"


@dataclass(frozen=True)
class Setting:
    """What goes with every figure: labels of the run, where patches ran, and the report's settings."""

    remarks: list[str]
    sandbox: str
    executed: str
    settings: Any

    @property
    def short(self) -> str:
        """The label of the scale in a few words."""
        return SHORT.get(self.remarks[0], self.remarks[0])

    @property
    def label(self) -> str:
        """All labels of the run."""
        first = f"{self.short} with the paper" if self.remarks[0] in SHORT else self.short
        return "; ".join([first[:1].upper() + first[1:], *self.remarks[1:]])

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
    return Setting(prose.remarks(scale, settings, inputs), inputs.sandbox, prose.executed(inputs), settings)


def counted(runs: Sequence[Training]) -> str:
    """Return how many runs, steps and samples there are."""
    steps = sorted({len(run.steps) for run in runs})
    span = f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
    many = f"{len(runs)} runs" if len(runs) > 1 else "1 run"
    return f"{many} of {span} step{'s' if steps[-1] > 1 else ''}, {sum(len(run.rollouts) for run in runs):,} samples"
