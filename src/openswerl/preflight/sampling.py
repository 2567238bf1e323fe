"""Sample a few instances and score the answers, showing them as they come."""

import random
import time
from collections.abc import Callable, Sequence

import msgspec
from omegaconf import DictConfig

from openswerl.models.prompts import prompt_of
from openswerl.records import Instance
from openswerl.reward import ScorePool
from openswerl.reward.settings import call_of
from openswerl.rollout import Completion, Sampler, seed_of


class Sample(msgspec.Struct, frozen=True):
    """One answer; `reason` is the code of a format error, a fault, or unfinished. Without an answer no reward."""

    instance_id: str
    sample: int
    temperature: float
    reward: float | None
    reason: str | None
    tokens: int
    prompt_tokens: int
    finish_reason: str
    output: str

    @property
    def came(self) -> bool:
        """Whether there is an answer, finished or not."""
        return self.finish_reason in ("stop", "length")


class Look(msgspec.Struct, frozen=True):
    """Greedy and sampled answers by instance, the seconds they took, and how many were not at hand."""

    greedy: list[Sample]
    sampled: list[Sample]
    seconds: float
    fresh: int
    model: str | None


def choose(instances: Sequence[Instance], count: int, seed: int) -> list[Instance]:
    """Return some instances, in their order, the same for the same seed."""
    chosen = random.Random(seed_of("preflight", seed)).sample(range(len(instances)), min(count, len(instances)))
    return [instances[place] for place in sorted(chosen)]


def seeds_of(instances: Sequence[Instance], seed: int) -> list[int]:
    """Return a sampling seed for each instance, by its name."""
    return [seed_of("preflight", seed, instance.instance_id) for instance in instances]


def look(
    instances: Sequence[Instance], sampler: Sampler, rewards: ScorePool, cfg: DictConfig, say: Callable[[str], None]
) -> Look:
    """Ask every instance greedily and `preflight.samples` times at `grpo.temperature`, and score what comes."""
    start = time.monotonic()
    greedy = _ask(instances, sampler, cfg, 1, 0.0, say)
    temperature = float(cfg.grpo.temperature)
    sampled = _ask(instances, sampler, cfg, cfg.preflight.samples, temperature, say)
    seconds = time.monotonic() - start
    lengths = [sampler.count(prompt_of(instance, cfg)) for instance in instances]
    every = [one for row in [*greedy, *sampled] for one in row]
    model = next((one.model for one in every if one.model), None)
    return Look(
        _scored(instances, greedy, lengths, rewards, 0.0),
        _scored(instances, sampled, lengths, rewards, temperature),
        seconds,
        sum(one.usage is None or one.usage.requests > 0 for one in every),
        model,
    )


def _ask(
    instances: Sequence[Instance],
    sampler: Sampler,
    cfg: DictConfig,
    samples: int,
    temperature: float,
    say: Callable[[str], None],
) -> list[list[Completion]]:
    prompts = [prompt_of(instance, cfg) for instance in instances]
    rows: list[dict[int, Completion]] = [{} for _ in instances]
    kind, total = "sampled" if temperature else "greedy", samples * len(instances)
    seeds = seeds_of(instances, cfg.seed)
    stream = sampler.stream(prompts, samples=samples, temperature=temperature, seeds=seeds)
    for done, answered in enumerate(stream, start=1):
        rows[answered.prompt][answered.sample] = answered.completion
        if done == total or done % max(1, total // 5) == 0:
            say(f"{done}/{total} {kind} answers")
    return [[row[sample] for sample in range(samples)] for row in rows]


def _scored(
    instances: Sequence[Instance],
    answers: Sequence[Sequence[Completion]],
    lengths: Sequence[int],
    rewards: ScorePool,
    temperature: float,
) -> list[Sample]:
    """Score what is finished. An unfinished answer earns what a malformed one does, as in training."""
    pairs = [(instance, c) for instance, row in zip(instances, answers, strict=True) for c in row]
    scores = iter(rewards.score_many([call_of(instance, c.text) for instance, c in pairs if c.finished]))
    samples = []
    for number, (instance, c) in enumerate(pairs):
        place, sample = divmod(number, len(answers[0]))
        score = next(scores) if c.finished else None
        samples.append(
            Sample(
                instance.instance_id,
                sample,
                temperature,
                score.reward if score else None,
                score.reason if score else c.fault or "unfinished",
                len(c.token_ids) or (c.usage.completion if c.usage else 0),
                (c.usage.prompt if c.usage else 0) or lengths[place],  # what a server counts is what it bills
                c.finish_reason,
                c.text,
            )
        )
    return samples
