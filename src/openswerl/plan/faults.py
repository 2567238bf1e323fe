"""Why a layout cannot run: what our own code refuses, and what does not fit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from openswerl.plan import sampling
from openswerl.plan.layout import GIB, Layout
from openswerl.plan.memory import Memory, memory_of, total
from openswerl.plan.shapes import Shape


@dataclass(frozen=True)
class Fault:
    """The component that breaks, and a line that says how."""

    component: str
    text: str


def faults_of(layout: Layout, shape: Shape, taken: float) -> list[Fault]:
    """Return what is wrong with a layout; `taken` bytes of a device are gone before. Empty if it fits."""
    found = [*_refused(layout, shape), *_engine(layout, shape)]
    return found or [*_memory(layout, memory_of(layout, shape, taken))]


def _refused(layout: Layout, shape: Shape) -> Iterator[Fault]:
    """What a stage would refuse as it starts: sft/trainer.py, models/zero.py, models/ulysses.py."""
    stage, key = layout.stage, f"{layout.stage}.optimiser"
    if layout.processes > layout.devices_per_machine:
        yield Fault("processes", f"processes={layout.processes} on machines of {layout.devices_per_machine} devices")
    both = sorted((layout.team, layout.processes))
    if layout.world % layout.team or both[1] % both[0] or shape.heads % layout.team:
        each = f"processes={layout.processes} on {layout.machines} machines, and {shape.heads} heads"
        yield Fault("processes", f"{key}.sequence_parallel={layout.team} does not divide {each}")
    if stage == "sft" and layout.prompts % layout.teams:
        who = "processes" if layout.team == 1 else "teams of processes"
        yield Fault("rows", f"sft.rows_per_step={layout.prompts} is no multiple of {layout.teams} {who}")
    if layout.size < 4 and layout.zero == 0:
        yield Fault("optimiser", f"{key}.zero_stage=0 keeps no float32 weights for bfloat16 ones")
    if layout.offload and layout.zero < 2:
        yield Fault("optimiser", f"{key}.offload=cpu needs {key}.zero_stage=2 or 3")
    if layout.sampler in ("colocated", "server") and layout.kind == "cpu":
        yield Fault("engine", "rollout.backend=vllm needs GPUs")


def _engine(layout: Layout, shape: Shape) -> Iterator[Fault]:
    """What an engine would refuse: GPUs that it does not have, or too little memory for its longest row."""
    parts = layout.tensor_parallel
    if layout.sampler not in ("colocated", "server"):
        return
    if shape.heads % parts:
        yield Fault("engine", f"rollout.engine.tensor_parallel={parts} does not divide {shape.heads} heads")
    elif layout.sampler == "colocated" and parts > 1:
        yield Fault("engine", f"rollout.engine.tensor_parallel={parts} needs rollout.engine.mode=server")
    elif layout.sampler == "server" and (why := _wrong_devices(layout)):
        yield Fault("engine", f"rollout.engine.devices={','.join(layout.devices or ()) or 'null'} {why}")
    else:
        needed = layout.max_prompt + layout.max_response
        if (held := sampling.cache_tokens(layout, shape)) < needed:
            weights = layout.size * shape.parameters / parts / GIB
            yield Fault(
                "KV cache",
                f"the engine's share of {layout.engine_share * layout.memory / GIB:.1f} GiB on each of {parts} GPUs "
                f"holds {weights:.1f} GiB of weights and a KV cache of {held:,.0f} tokens, and one row has {needed:,}",
            )


def _wrong_devices(layout: Layout) -> str | None:
    """Processes compute on the first GPUs of a machine (models/zero.py); a server must have others."""
    devices = layout.devices or ()
    if len(devices) != layout.tensor_parallel:
        return f"does not name the {layout.tensor_parallel} GPUs of rollout.engine.tensor_parallel"
    if any(int(name) < layout.processes for name in devices):
        return f"are also those of processes={layout.processes}"
    if any(int(name) >= layout.devices_per_machine for name in devices):
        return f"are not among the {layout.devices_per_machine} of a machine"
    return None


def _memory(layout: Layout, memory: Memory) -> Iterator[Fault]:
    if memory.peak > layout.memory:
        yield _too_much(memory.phases[memory.phase], layout.memory, f"each device in the phase {memory.phase}")
    if total(memory.host) > layout.host_memory:
        yield _too_much(memory.host, layout.host_memory, f"a machine of {layout.processes} processes")


def _too_much(parts: Mapping[str, float], there: float, where: str) -> Fault:
    name = max(parts, key=lambda part: parts[part])
    return Fault(
        name,
        f"{name} take {parts[name] / GIB:.1f} of the {total(parts) / GIB:.1f} GiB that {where} needs, and it has "
        f"{there / GIB:.1f}",
    )
