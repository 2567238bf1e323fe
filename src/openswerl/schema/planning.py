"""The hardware that a scale is planned for."""

from dataclasses import dataclass, field

from omegaconf import MISSING


@dataclass
class Device:
    """What one training process computes on; `kind` is gpu or cpu.

    `taken_gib` is gone before there is a model. `teraflops` is the dense peak in the number format of the model.
    """

    kind: str = MISSING
    name: str = MISSING
    memory_gib: float = MISSING
    taken_gib: float = MISSING
    teraflops: float = MISSING
    terabytes_per_s: float = MISSING


@dataclass
class Plan:
    """What scripts/plan.py reckons with; `format` is table or json. No stage reads it."""

    name: str = MISSING
    format: str = MISSING
    device: Device = field(default_factory=Device)
    devices: int = MISSING
    memory_gib: float = MISSING
    mfu: float = MISSING
    bandwidth_use: float = MISSING
    decode_overhead_ms: float = MISSING
    publish_gigabytes_per_s: float = MISSING
    fill: float = MISSING
    device_hour_price: float | None = None
