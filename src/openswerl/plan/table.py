"""A plan as text of at most 100 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from omegaconf import DictConfig

from openswerl.plan.compute import Device
from openswerl.plan.disk import Disk
from openswerl.plan.ideal import even_time
from openswerl.plan.layout import GIB, Layout
from openswerl.plan.memory import Memory, total
from openswerl.plan.run import TRAINING, Planned

PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")


def table(planned: Planned, cfg: DictConfig) -> str:
    """Return the plan of a composed config; of one that cannot run its memory alone."""
    blocks = [_head(planned, cfg), _memory(planned)]
    if not any(planned.faults.values()):
        blocks += [_steps(planned, cfg), _runs(planned), _disk(planned)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def si(value: float, unit: str = "") -> str:
    """Return a number with three digits and a prefix: 70.6 G."""
    power = 0
    while abs(value) >= 999.5 and power < len(PREFIXES) - 1:
        value, power = value / 1000, power + 1
    return f"{value:.3g} {PREFIXES[power]}{unit}".rstrip()


def _columns(head: Sequence[str], rows: Iterable[Sequence[str]], first: int = 24, width: int = 12) -> Iterator[str]:
    for row in (head, *rows):
        yield row[0].ljust(first) + "".join(cell.rjust(width) for cell in row[1:])


def _head(planned: Planned, cfg: DictConfig) -> Iterator[str]:
    plan, shape = cfg.plan, planned.shape
    trained = planned.layouts["grpo"].trained(shape)
    yield (
        f"scale {cfg.scale}: {cfg.model.path or 'the laptop model'}, {si(shape.parameters)} parameters, "
        f"{'all' if trained == shape.parameters else si(trained)} trained in {cfg.model.dtype}"
    )
    yield f"on {plan.device.name}, {plan.device.memory_gib:g} GiB each, {plan.devices} a machine"
    for stage in TRAINING:
        yield f"{stage}: {_layout(planned.layouts[stage])}"


def _layout(layout: Layout) -> str:
    sampler = {
        "local": "own sampler",
        "colocated": "vLLM in each process",
        "server": f"a vLLM server on {layout.tensor_parallel} devices",
        "elsewhere": "samples from elsewhere",
    }
    parts = [f"{layout.machines} x {layout.processes} processes", f"ZeRO {layout.zero}"]
    parts += [f"teams of {layout.team}"] * (layout.team > 1) + ["checkpointing"] * layout.checkpointing
    parts += ["offload"] * layout.offload + [f"LoRA {layout.rank}"] * bool(layout.rank) + [sampler[layout.sampler]]
    return ", ".join(parts)


def _memory(planned: Planned) -> Iterator[str]:
    """A column for each stage and phase; all lengths at their limits."""
    columns = [
        (f"{stage} {phase}", parts) for stage in TRAINING for phase, parts in planned.memory[stage].phases.items()
    ]
    names = dict.fromkeys(name for _, parts in columns for name, value in parts.items() if value)
    yield "memory of the busiest device in GiB, rows at their limits"
    rows = [[name, *(_gib(parts.get(name, 0.0)) for _, parts in columns)] for name in names]
    rows.append(["sum", *(_gib(total(parts)) for _, parts in columns)])
    yield from _columns(["", *(name for name, _ in columns)], rows)
    for stage in TRAINING:
        yield from _fit(planned.layouts[stage], planned.memory[stage])


def _fit(layout: Layout, memory: Memory) -> Iterator[str]:
    row = f"rows of {layout.row:,} tokens" + (f", {layout.stretch:,} on each device" if layout.team > 1 else "")
    yield f"{layout.stage}: {row}; peak {memory.peak / GIB:.2f} of {layout.memory / GIB:g} GiB in {memory.phase}"
    if memory.host:
        there = layout.host_memory / GIB
        yield f"{layout.stage}: main memory of a machine {total(memory.host) / GIB:,.0f} of {there:,.0f} GiB"


def _gib(value: float) -> str:
    return f"{value / GIB:.2f}" if value else "-"


def _steps(planned: Planned, cfg: DictConfig) -> Iterator[str]:
    yield f"a step, prompts and answers {cfg.plan.fill:.0%} of their limits, MFU {cfg.plan.mfu:g}"
    rows = []
    for stage in TRAINING:
        layout, time = planned.layouts[stage], planned.times[stage]
        ideal = even_time(layout, planned.shape, Device.of(cfg.plan), cfg.plan.fill)
        seconds = [f"{value:,.1f}" for value in (time.publish, time.generate, time.train, time.step, ideal.step)]
        rows.append([stage, si(planned.tokens[stage]), si(planned.flops[stage]), *seconds])
    yield from _columns(["", "tokens", "FLOPs", "publish s", "sample s", "train s", "step s", "even s"], rows, 8, 11)
    for stage in TRAINING:
        layout = planned.layouts[stage]
        if (busy := min(layout.prompts, layout.teams) * layout.team) < layout.machines * layout.devices_per_machine:
            there = layout.machines * layout.devices_per_machine
            yield f"{stage}: {busy} of {there} devices train; `even` is a step with the work of all spread evenly"


def _runs(planned: Planned) -> Iterator[str]:
    yield "a run of each training stage; evaluate: all policies and seeds of the grid"
    rows = []
    for stage, cost in planned.costs.items():
        asked = planned.asked[stage]
        cells = [si(asked.samples), si(asked.prompt_tokens), si(asked.response_tokens)]
        money = [_money(cost.devices_price), _money(cost.api_price)]
        rows.append([stage, *cells, f"{cost.hours:,.2f}", f"{cost.device_hours:,.1f}", *money])
    yield from _columns(
        ["", "samples", "prompt tok.", "answer tok.", "hours", "device h", "price", "API price"], rows, 10, 12
    )


def _money(price: float | None) -> str:
    return "not told" if price is None else f"{price:,.2f}"


def _disk(planned: Planned) -> Iterator[str]:
    yield "disk of all runs of the grid"
    rows = [[name, si(one.most, "B"), si(one.left, "B"), si(one.files)] for name, one in planned.disk.items()]
    yield from _columns(["", "at most", "left", "files"], [*rows, _sum(planned.disk)])


def _sum(disk: Mapping[str, Disk]) -> list[str]:
    left, files = sum(one.left for one in disk.values()), sum(one.files for one in disk.values())
    return ["sum", "", si(left, "B"), si(files)]
