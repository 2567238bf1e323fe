"""Draw a group of samples per prompt and score them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import torch
from omegaconf import DictConfig

from openswerl.models.prompts import prompt_of
from openswerl.records import Instance
from openswerl.reward import Score, ScorePool
from openswerl.reward.outcome import TIMEOUT
from openswerl.reward.settings import call_of
from openswerl.rollout import FAULTS, Completion, Sampler
from openswerl.rollout.seeds import seed_of

UNFINISHED = "unfinished"


class Rollout(msgspec.Struct, frozen=True):
    """One sample, as kept in rollouts.jsonl; without a reward it is masked, and `reason` says why.

    `events` are the codes of what the reader of the answer forgave; `tokens` is its length.
    `place` is the prompt's number in the step; of its attempts the last one is trained on.
    """

    step: int
    instance_id: str
    sample: int
    reward: float | None
    reason: str | None
    files: dict[str, float]
    events: list[str]
    tokens: int
    output: str
    place: int = 0
    attempt: int = 0

    @property
    def answered(self) -> bool:
        """Whether the sampler gave an answer at all."""
        return self.reason not in FAULTS


@dataclass(frozen=True)
class Place:
    """One of the prompts of a step; `attempt` counts the prompts that it has had."""

    number: int
    instance: Instance
    attempt: int = 0

    def seed(self, seed: int, step: int) -> int:
        """Return the sampling seed, which no other prompt of the run has."""
        return seed_of("grpo", seed, step, self.number, self.attempt)

    def other(self, instances: Sequence[Instance], seed: int, step: int) -> "Place":
        """Return the next attempt: a prompt drawn from all instances, which may be one that the step has already."""
        place = Place(self.number, self.instance, self.attempt + 1)
        return replace(place, instance=random.Random(place.seed(seed, step)).choice(instances))


@dataclass(frozen=True)
class Group:
    """All samples of one prompt with their scores."""

    place: Place
    completions: list[Completion]
    scores: list[Score]

    @property
    def rewards(self) -> list[float]:
        """The rewards; nan for a masked sample."""
        return [float("nan") if score.reward is None else score.reward for score in self.scores]

    @property
    def scored(self) -> bool:
        """Whether any sample has a reward."""
        return any(score.reward is not None for score in self.scores)

    @property
    def scored_tokens(self) -> int:
        """The tokens of the samples that have a reward."""
        pairs = zip(self.completions, self.scores, strict=True)
        return sum(len(completion.token_ids) for completion, score in pairs if score.reward is not None)

    def rows(self, step: int) -> list[Rollout]:
        """Return the group's part of rollouts.jsonl."""
        name, place, attempt = self.place.instance.instance_id, self.place.number, self.place.attempt
        return [
            Rollout(
                step, name, i, s.reward, s.reason, s.files, list(s.events), len(c.token_ids), c.text, place, attempt
            )
            for i, (c, s) in enumerate(zip(self.completions, self.scores, strict=True))
        ]


def sample_groups(places: Sequence[Place], sampler: Sampler, cfg: DictConfig, step: int) -> list[list[Completion]]:
    """Return `grpo.group_size` completions per place."""
    return sampler.generate(
        [prompt_of(place.instance, cfg) for place in places],
        samples=cfg.grpo.group_size,
        temperature=cfg.grpo.temperature,
        seeds=[place.seed(cfg.seed, step) for place in places],
    )


def score_groups(
    places: Sequence[Place], drawn: Sequence[list[Completion]], rewards: ScorePool, cfg: DictConfig
) -> list[Group]:
    """Score every completion.

    One with a fault, which is no answer, has no reward. One that hit the length limit is not scored: it gets
    `grpo.truncated_reward`, or none with `grpo.truncated=mask`. One whose scoring took too long gets
    `reward.timeout_reward`, which may be none. What could not be scored for another reason is no fault of the answer
    and has no reward.
    """
    pairs = [(place, completion) for place, group in zip(places, drawn, strict=True) for completion in group]
    calls = [call_of(place.instance, completion.text) for place, completion in pairs if completion.finished]
    scored = iter(rewards.score_many(calls))
    unfinished = Score(cfg.grpo.truncated_reward if cfg.grpo.truncated == "penalise" else None, UNFINISHED)
    unscored = [Score(None, c.fault) if c.fault else unfinished for _, c in pairs]
    scores = iter(
        [_settled(next(scored), cfg) if c.finished else no for (_, c), no in zip(pairs, unscored, strict=True)]
    )
    return [Group(place, group, [next(scores) for _ in group]) for place, group in zip(places, drawn, strict=True)]


def _settled(score: Score, cfg: DictConfig) -> Score:
    return replace(score, reward=cfg.reward.timeout_reward) if score.reason == TIMEOUT else score


def reward_table(rewards: Sequence[Sequence[float]]) -> torch.Tensor:
    """Return rewards [prompts, group] in double precision; nan where there is none."""
    return torch.tensor(rewards, dtype=torch.float64)
