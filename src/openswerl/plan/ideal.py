"""How fast a step could be if every device had an equal part of the work: what our loop loses by its division of it."""

from dataclasses import replace

from openswerl.plan.compute import Device, Time, filled, token_seconds, training_flops
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape


def even_time(layout: Layout, shape: Shape, device: Device, fill: float) -> Time:
    """Return the seconds of a step in which each machine is one engine, then trains, and weights are there at once.

    The paper's own step, 512 H100 and about 72 s (3.1), is compared with this, as its division of work is not printed.
    """
    mean, parts = filled(layout, fill), layout.devices_per_machine
    devices = layout.machines * parts
    train = training_flops(mean, shape) / (devices * device.flops)
    if layout.stage == "sft" or layout.sampler == "elsewhere":
        return Time(0.0, 0.0, train)
    engine = replace(mean, tensor_parallel=parts)
    rows = max(1.0, layout.prompts * layout.group / layout.machines)
    token = token_seconds(engine, shape, device, rows, mean.prompt + mean.response / 2)
    reading = layout.prompts * 2 * shape.parameters * mean.prompt / (devices * device.flops)
    return Time(0.0, reading + layout.response * token, train)
