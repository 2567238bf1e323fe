"""What the configured training run would take: tokens, hours, and money where prices are given."""

from statistics import mean
from typing import Any

from omegaconf import DictConfig

from openswerl.preflight.sampling import Look


def budget(found: Look, cfg: DictConfig, step_seconds: float | None = None) -> dict[str, Any]:
    """Extrapolate from the samples to `grpo.steps`.

    `sampling_hours` is at the speed just seen, without the updates; `hours` is of whole steps, where a trial has timed
    them (`step_seconds`). A server is billed for each sample's prompt; the local sampler reads it once a group.
    """
    came = [one for one in [*found.greedy, *found.sampled] if one.came]
    rollouts = cfg.grpo.steps * cfg.grpo.prompts_per_step * cfg.grpo.group_size
    if not came:
        return {"rollouts": rollouts}
    prompt, completion = mean(one.prompt_tokens for one in came), mean(one.tokens for one in came)
    cost = _cost(prompt, completion, rollouts, cfg.preflight.prices)
    return {
        "rollouts": rollouts,
        "prompt_tokens_mean": prompt,
        "completion_tokens_mean": completion,
        "prompt_tokens": round(prompt * rollouts),
        "completion_tokens": round(completion * rollouts),
        "sampling_hours": found.seconds / found.fresh * rollouts / 3600 if found.fresh else None,
        "hours": None if step_seconds is None else step_seconds * cfg.grpo.steps / 3600,
        "cost": cost,
    }


def _cost(prompt: float, completion: float, rollouts: int, prices: DictConfig) -> float | None:
    if prices.prompt is None or prices.completion is None:
        return None
    return float(rollouts * (prompt * prices.prompt + completion * prices.completion) / 1e6)
