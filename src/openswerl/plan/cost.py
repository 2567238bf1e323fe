"""What sampling outside of training takes, device hours, and money where prices are given."""

from dataclasses import dataclass

from omegaconf import DictConfig

from openswerl.plan import sampling
from openswerl.plan.compute import Device, Time, filled, token_seconds
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape
from openswerl.plan.work import Asked


@dataclass(frozen=True)
class Cost:
    """Hours of the runs, hours of all devices that they hold, and the prices of these and of an API; None: not told."""

    hours: float
    device_hours: float
    devices_price: float | None
    api_price: float | None


def sampling_seconds(layout: Layout, shape: Shape, device: Device, asked: Asked, fill: float, at_once: int) -> float:
    """Return the seconds for all samples by one engine, or by our own sampler, with so many rows at once at most."""
    if layout.sampler == "elsewhere":
        return 0.0
    mean = filled(layout, fill)
    context = asked.prompt + asked.response
    room = sampling.cache_tokens(layout, shape) / context if layout.sampler != "local" else layout.batch_rows
    rows = max(1.0, min(at_once, room, asked.samples))
    token = token_seconds(mean, shape, device, rows, context - asked.response / 2)
    reading = 2 * shape.parameters * asked.prompt / (layout.tensor_parallel * device.flops)
    return asked.samples * (reading + asked.response * token / rows)


def price_of(asked: Asked, cfg: DictConfig) -> float | None:
    """Return what an API asks for the samples: 0 if none answers, null without `preflight.prices`."""
    if cfg.rollout.backend != "openai":
        return 0.0
    prices = cfg.preflight.prices
    if prices.prompt is None or prices.completion is None:
        return None
    return float(asked.prompt_tokens * prices.prompt + asked.response_tokens * prices.completion) / 1e6


def costs_of(
    cfg: DictConfig, shape: Shape, layouts: dict[str, Layout], times: dict[str, Time], asked: dict[str, Asked]
) -> dict[str, Cost]:
    """Return the costs of one run of each training stage, which holds whole machines, and of the grid's evaluations."""
    device, plan, rows = Device.of(cfg.plan), cfg.plan, cfg.rollout.batch_rows
    layout = layouts["sft"]
    engines = layout.world if layout.sampler in ("local", "colocated") else 1
    drawn = sampling_seconds(layout, shape, device, asked["sft"], plan.fill, rows) / engines
    seconds = {
        "sft": drawn + cfg.sft.steps * times["sft"].step,
        "grpo": cfg.grpo.steps * times["grpo"].step,
        "evaluate": sampling_seconds(
            layouts["grpo"], shape, device, asked["evaluate"], plan.fill, min(rows, cfg.evaluate.mini.rows)
        ),
    }
    held = {stage: one.machines * plan.devices for stage, one in layouts.items()} | {"evaluate": layout.tensor_parallel}
    return {stage: _cost(seconds[stage] / 3600, held[stage], plan, price_of(asked[stage], cfg)) for stage in seconds}


def _cost(hours: float, devices: int, plan: DictConfig, api: float | None) -> Cost:
    held = hours * devices
    price = None if plan.device_hour_price is None else held * plan.device_hour_price
    return Cost(hours, held, price, api)
