"""Plan a scale: what it takes, what cannot run, and what is nearest to it that can."""

from dataclasses import asdict, dataclass
from typing import Any

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.plan.compute import Device, Time, filled, time_of, tokens_of, training_flops
from openswerl.plan.cost import Cost, costs_of
from openswerl.plan.disk import Disk, disk_of
from openswerl.plan.faults import Fault, faults_of
from openswerl.plan.layout import GIB, Layout
from openswerl.plan.memory import Memory, memory_of
from openswerl.plan.nearest import nearest
from openswerl.plan.shapes import Shape, shape_of
from openswerl.plan.volume import volume_of
from openswerl.plan.work import Asked, asked_of

TRAINING = ("sft", "grpo")


@dataclass(frozen=True)
class Planned:
    """All that there is to tell about a scale. `tokens` and `flops` are of a step at mean lengths."""

    shape: Shape
    layouts: dict[str, Layout]
    memory: dict[str, Memory]
    tokens: dict[str, int]
    flops: dict[str, float]
    times: dict[str, Time]
    asked: dict[str, Asked]
    disk: dict[str, Disk]
    costs: dict[str, Cost]
    faults: dict[str, list[Fault]]

    def data(self) -> dict[str, Any]:
        """Return it as plain data: bytes, seconds, hours, tokens."""
        return asdict(self) | {
            "parameters": self.shape.parameters,
            "trained": {stage: layout.trained(self.shape) for stage, layout in self.layouts.items()},
        }


def plan(cfg: DictConfig) -> Planned:
    """Return the plan of a composed config. Raises UserError for a model whose shape is not known."""
    shape, device, fill = shape_of(cfg.model), Device.of(cfg.plan), cfg.plan.fill
    layouts = {stage: Layout.of(cfg, stage) for stage in TRAINING}
    means = {stage: filled(layout, fill) for stage, layout in layouts.items()}
    taken = cfg.plan.device.taken_gib * GIB
    times = {stage: time_of(layout, shape, device, fill) for stage, layout in layouts.items()}
    asked = asked_of(cfg)
    return Planned(
        shape=shape,
        layouts=layouts,
        memory={stage: memory_of(layout, shape, taken) for stage, layout in layouts.items()},
        tokens={stage: tokens_of(layout) for stage, layout in means.items()},
        flops={stage: training_flops(layout, shape) for stage, layout in means.items()},
        times=times,
        asked=asked,
        disk=disk_of(cfg, shape, layouts, volume_of(cfg.data), asked),
        costs=costs_of(cfg, shape, layouts, times, asked),
        faults={stage: faults_of(layout, shape, taken) for stage, layout in layouts.items()},
    )


def refuse(planned: Planned, taken: float) -> None:
    """Raise UserError with what breaks first and the nearest layout that fits, if a layout cannot run."""
    found = [(stage, fault) for stage in TRAINING for fault in planned.faults[stage]]
    if not found:
        return
    near = nearest([*planned.layouts.values()], planned.shape, taken)
    words = (f'"{item}"' if "'" in item else item for item in near or ())
    advice = f"the nearest that fits: {' '.join(words)}" if near else "nothing that conf/ has makes it fit"
    raise UserError(f"{'; '.join(f'{stage}: {fault.text}' for stage, fault in found)}; {advice}")
