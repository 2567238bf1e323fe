"""Draw a group of samples per prompt and score them."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import torch
from omegaconf import DictConfig

from openswerl.models.prompts import repair_prompt
from openswerl.records import Instance
from openswerl.reward import Score, ScorePool
from openswerl.rollout import Completion, Sampler


class Rollout(msgspec.Struct, frozen=True):
    """One scored sample, as kept in rollouts.jsonl."""

    step: int
    instance_id: str
    sample: int
    reward: float
    reason: str | None
    files: dict[str, float]
    output: str


@dataclass(frozen=True)
class Group:
    """All samples of one prompt with their scores."""

    instance: Instance
    completions: list[Completion]
    scores: list[Score]


def open_rewards(reward: DictConfig) -> ScorePool:
    """Return the scorer that `reward` describes; a context manager."""
    return ScorePool(
        kind=reward.kind,
        compat=reward.compat,
        format_penalty=reward.format_penalty,
        time_limit_s=reward.time_limit_s,
        timeout_reward=reward.timeout_reward,
    )


def draw_groups(
    instances: Sequence[Instance], sampler: Sampler, rewards: ScorePool, cfg: DictConfig, seed: int
) -> list[Group]:
    """Sample `grpo.group_size` answers per instance and score them.

    An answer without its end-of-sequence token scores `grpo.unfinished_reward` with the reason "unfinished": nothing
    in the paper's reward punishes text that never stops.
    """
    prompts = [repair_prompt(instance.task, cfg.model.prompt) for instance in instances]
    size, temperature = cfg.grpo.group_size, cfg.grpo.temperature
    drawn = sampler.generate(prompts, samples=size, temperature=temperature, seed=seed)
    calls = [
        (instance.task.context, instance.oracle, completion.text)
        for instance, completions in zip(instances, drawn, strict=True)
        for completion in completions
    ]
    scores = iter(rewards.score_many(calls))
    unfinished = Score(cfg.grpo.unfinished_reward, "unfinished")
    groups = []
    for instance, completions in zip(instances, drawn, strict=True):
        scored = [(completion, next(scores)) for completion in completions]
        groups.append(Group(instance, completions, [s if c.finished else unfinished for c, s in scored]))
    return groups


def reward_table(groups: Sequence[Group]) -> torch.Tensor:
    """Return rewards [prompts, group]."""
    return torch.tensor([[score.reward for score in group.scores] for group in groups])


def rollout_rows(groups: Sequence[Group], step: int) -> list[Rollout]:
    """Return the records of one step."""
    return [
        Rollout(step, group.instance.instance_id, i, score.reward, score.reason, score.files, completion.text)
        for group in groups
        for i, (completion, score) in enumerate(zip(group.completions, group.scores, strict=True))
    ]


def rollout_metrics(groups: Sequence[Group]) -> dict[str, float]:
    """Return what people watch: mean reward, rates, response length."""
    scores = [score for group in groups for score in group.scores]
    completions = [completion for group in groups for completion in group.completions]
    n = len(scores)
    return {
        "reward_mean": sum(score.reward for score in scores) / n,
        "format_rate": sum(score.reason is None for score in scores) / n,
        "exact_rate": sum(score.reason is None and score.reward == 1 for score in scores) / n,
        "unfinished_rate": sum(not completion.finished for completion in completions) / n,
        "timeout_rate": sum(score.reason in ("timeout", "worker_died") for score in scores) / n,
        "response_tokens": sum(len(completion.token_ids) for completion in completions) / n,
    }
