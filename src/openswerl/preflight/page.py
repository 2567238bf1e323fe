"""One page for a person who has ten minutes: the verdict first, then why."""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from omegaconf import DictConfig

from openswerl.files import replacing
from openswerl.preflight.advice import HOT
from openswerl.preflight.sampling import Sample
from openswerl.preflight.verdict import nearness

BUDGET = {
    "rollouts": "rollouts",
    "prompt_tokens": "tokens of prompts",
    "completion_tokens": "tokens of answers",
    "sampling_hours": "hours of sampling, at the speed seen here and without the updates",
    "hours": "hours in all, at the speed of the trial",
    "cost": "cost at preflight.prices",
}


def write_page(path: Path, cfg: DictConfig, picture: Path, found: Mapping[str, Any], samples: Sequence[Sample]) -> None:
    """Write the page, which holds all that it shows; `found` is what preflight.json says."""
    environment = Environment(
        loader=PackageLoader("openswerl", "preflight"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "number": number,
        "between": between,
        "near": lambda sample: nearness(sample, cfg.preflight.rules),
    }
    text = environment.get_template("page.html.j2").render(
        found,
        picture=base64.b64encode(picture.read_bytes()).decode(),
        cfg=cfg,
        hot_advice=HOT,
        laptop=cfg.model.name == "laptop",
        budget=budget_rows(found["budget"]),
        answers=answers_of(samples),
    )
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="replace")  # an endpoint may send half a pair


def answers_of(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Return the samples by instance."""
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.instance_id, []).append(sample)
    return [
        {"name": name, "samples": samples, "rewards": [number(sample.reward) for sample in samples]}
        for name, samples in groups.items()
    ]


def budget_rows(budget: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is known of the budget, in words."""
    return [(label, number(budget[key])) for key, label in BUDGET.items() if budget.get(key) is not None]


def number(value: float | None) -> str:
    """Return a number as people read it."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if abs(value) >= 0.01 or not value else f"{value:.2g}"


def between(interval: Sequence[float] | None) -> str:
    """Return an interval in words."""
    return "no interval" if interval is None else f"{number(interval[0])} to {number(interval[1])}"
