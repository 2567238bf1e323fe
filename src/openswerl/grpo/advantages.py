"""How much better than its group a sample is (paper Eq. 2: reward less the mean, over the deviation)."""

import torch

STD_FLOOR = 1e-4
ZERO_VARIANCE = 1e-6
SCALINGS = ("group_std", "none", "batch_std")


def group_advantages(rewards: torch.Tensor, scaling: str = "group_std") -> tuple[torch.Tensor, torch.Tensor]:
    """Return advantages [prompts, group], and which groups [prompts] carry a signal; both of rewards [prompts, group].

    A reward of nan is a sample without one: it has advantage 0, and no part in mean and deviation. A group with fewer
    than two rewards, or whose rewards are all alike, carries no signal: its advantages are 0, never a division by a
    tiny deviation. `scaling` divides the centred rewards by the group's sample deviation + 1e-4 (`group_std`, the
    paper), by that of all rewards (`batch_std`), or by nothing (`none`).
    """
    scored = ~rewards.isnan()
    centred = torch.where(scored, rewards - rewards.nanmean(1, keepdim=True), 0.0)
    deviation = centred.square().sum(1).div((scored.sum(1) - 1).clamp(min=1)).sqrt()
    live = deviation > ZERO_VARIANCE
    advantages = centred / _scale(rewards[scored], deviation, scaling)
    return torch.where(live[:, None], advantages, 0.0), live


def _scale(rewards: torch.Tensor, deviation: torch.Tensor, scaling: str) -> torch.Tensor:
    """Return what the centred rewards are divided by, broadcast over [prompts, group]."""
    if scaling == "none":
        return torch.ones_like(deviation)[:, None]
    if scaling == "batch_std":
        deviation = rewards.std().expand_as(deviation) if len(rewards) > 1 else torch.zeros_like(deviation)
    return deviation[:, None] + STD_FLOOR
