"""What may be changed of a layout: settings that conf/ has, each with how far it leads from what was asked for.

First what costs nothing but time, then more hardware, then what changes the method.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape

MOST_MACHINES = 64
SHARES = (0.3, 0.5, 0.6, 0.7)
RANK = 16


@dataclass(frozen=True)
class Change:
    """New values of a layout's fields, the overrides that set them, and a distance."""

    distance: int = 0
    fields: dict[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()

    def __add__(self, other: "Change") -> "Change":
        """Return both changes as one."""
        return Change(self.distance + other.distance, self.fields | other.fields, self.overrides + other.overrides)

    def of(self, layout: Layout) -> Layout:
        """Return the layout with this change."""
        return replace(layout, **self.fields)


def shared_changes(layout: Layout, shape: Shape) -> list[Change]:
    """Return what concerns both training stages at once, nearest first, nothing at all included."""
    return _products(_processes(layout, shape), _adapters(layout), _lengths(layout), _machines(layout))


def own_changes(layout: Layout, shape: Shape) -> list[Change]:
    """Return what concerns one stage alone, nearest first, nothing at all included."""
    time = (_passes(layout), _zero(layout), _offload(layout), _teams(layout, shape))
    return _products(*time, _rows(layout))


def _products(*axes: Iterator[Change]) -> list[Change]:
    ways = (sum(way, Change()) for way in itertools.product(*([Change(), *axis] for axis in axes)))
    return sorted(ways, key=lambda way: way.distance)


def _processes(layout: Layout, shape: Shape) -> Iterator[Change]:
    """All devices of a machine, another share for the engine, or a server on some of them."""
    there = layout.devices_per_machine
    if layout.processes < there and layout.sampler != "server":
        yield Change(1, {"processes": there}, (f"processes={there}",))
    if layout.sampler == "colocated":
        for number, share in enumerate(SHARES):
            fields = {"engine_share": share, "processes": there}
            yield Change(2 + number, fields, (f"processes={there}", f"rollout.engine.gpu_memory={share}"))
    for parts in (1, 2, 4):
        if layout.kind == "gpu" and layout.sampler != "elsewhere" and parts < there and shape.heads % parts == 0:
            yield _served(there, parts)


def _served(there: int, parts: int) -> Change:
    devices = tuple(map(str, range(there - parts, there)))
    fields = {"sampler": "server", "tensor_parallel": parts, "devices": devices, "engine_share": 0.9}
    overrides = (
        f"processes={there - parts}",
        "rollout.backend=vllm",
        "rollout.engine.mode=server",
        "rollout.engine.gpu_memory=0.9",
        f"rollout.engine.tensor_parallel={parts}",
        f"rollout.engine.devices='{','.join(devices)}'",
    )
    return Change(5 + parts, fields | {"processes": there - parts}, overrides)


def _adapters(layout: Layout) -> Iterator[Change]:
    if not layout.rank:
        yield Change(30, {"rank": RANK}, (f"model.lora.rank={RANK}",))


def _lengths(layout: Layout) -> Iterator[Change]:
    """Shorter answers; sft's rows do not depend on them."""
    length = layout.max_response // 2
    for number in range(1, 4):
        if length >= 512:
            yield Change(12 * number, {"max_response": length}, (f"model.max_response_tokens={length}",))
        length //= 2


def _passes(layout: Layout) -> Iterator[Change]:
    """Layers computed again, and one group a pass."""
    again = Change(1, {"checkpointing": True}, (f"{layout.stage}.optimiser.gradient_checkpointing=true",))
    single = Change(1, {"together": 1}, ("grpo.micro_batch_groups=1",))
    if not layout.checkpointing:
        yield again
    if layout.together > 1:
        yield single
        if not layout.checkpointing:
            yield again + single


def _zero(layout: Layout) -> Iterator[Change]:
    for stage in range(layout.zero + 1, 4):
        yield Change(stage - layout.zero, {"zero": stage}, (f"{layout.stage}.optimiser.zero_stage={stage}",))


def _offload(layout: Layout) -> Iterator[Change]:
    if not layout.offload:
        yield Change(5, {"offload": True}, (f"{layout.stage}.optimiser.offload=cpu",))


def _machines(layout: Layout) -> Iterator[Change]:
    if layout.kind == "cpu":
        return
    count, number = 2 * layout.machines, 0
    while count <= MOST_MACHINES:
        yield Change(6 + 2 * number, {"machines": count}, (f"nodes={count}",))
        count, number = 2 * count, number + 1


def _teams(layout: Layout, shape: Shape) -> Iterator[Change]:
    """More processes to a row: those of a machine, which talk fast, before those of several."""
    for number, size in enumerate((2, 4, 8)):
        if size > layout.team and shape.heads % size == 0 and layout.forward == "packed":
            yield Change(3 + number, {"team": size}, (f"{layout.stage}.optimiser.sequence_parallel={size}",))


def _rows(layout: Layout) -> Iterator[Change]:
    """More rows a step, which many processes need, and shorter ones."""
    if layout.stage != "sft":
        return
    for number, rows in enumerate((2 * layout.prompts, 4 * layout.prompts)):
        yield Change(3 + number, {"prompts": rows}, (f"sft.rows_per_step={rows}",))
    for number in (1, 2):
        length = layout.prompt >> number
        yield Change(12 * number, {"prompt": length}, (f"sft.row_tokens={length}",))
