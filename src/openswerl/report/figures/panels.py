"""Which GRPO runs share a panel: rewards of one variant beside each other, or the variants of a single reward."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from openswerl.report.figures.palette import Look, look, ranked
from openswerl.report.inputs import Training, by_label
from openswerl.report.labels import parted
from openswerl.stages import DEFAULT


class Series(NamedTuple):
    """One line: the seeds of one reward in one variant, by its label in the panel."""

    label: str
    look: Look
    runs: list[Training]


class Panel(NamedTuple):
    """Lines on the same axes. `variant` is empty where none is told apart."""

    variant: str
    series: list[Series]

    @property
    def suffix(self) -> str:
        """What tells the files of this panel from those of the others."""
        return f"-{self.variant}" if self.variant not in ("", DEFAULT) else ""

    @property
    def runs(self) -> list[Training]:
        """All runs of the panel."""
        return [run for one in self.series for run in one.runs]


def panels(trainings: Sequence[Training]) -> list[Panel]:
    """Return one panel a variant with a line a reward; of a single reward, one panel with a line a variant."""
    seeds = by_label(trainings)
    rewards = _first(parted(label)[0] for label in seeds)
    variants = _first(parted(label)[1] for label in seeds)
    if len(rewards) == 1 and len(variants) > 1:
        ranks = enumerate(seeds.items())
        return [Panel("", [Series(parted(x)[1] or DEFAULT, ranked(rewards[0], k), runs) for k, (x, runs) in ranks])]
    named = variants != [""]
    return [Panel((v or DEFAULT) if named else "", _series(seeds, v)) for v in sorted(variants, key=bool)]


def _series(seeds: Mapping[str, list[Training]], variant: str) -> list[Series]:
    own = [(parted(label)[0], runs) for label, runs in seeds.items() if parted(label)[1] == variant]
    return [Series(reward, look(f"grpo-{reward}"), runs) for reward, runs in own]


def _first(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
