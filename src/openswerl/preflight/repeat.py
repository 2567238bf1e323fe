"""Ask the same twice: a backend that does not repeat itself cannot be seeded, and cannot be debugged."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import msgspec
from omegaconf import DictConfig

from openswerl.models.prompts import prompt_of
from openswerl.preflight.sampling import Look, Sample, seeds_of
from openswerl.records import Instance
from openswerl.rollout import Sampler


class Repeated(msgspec.Struct, frozen=True):
    """How many answers of a kind (greedy, sampled) came twice, how many of them equal, and the least alike of them."""

    kind: str
    asked: int
    identical: int
    least_alike: float | None

    def __str__(self) -> str:
        if not self.asked:
            return f"{self.kind}: not measured, as an answer did not come"
        moved = "" if self.identical == self.asked else f", the least alike by {self.least_alike:.2f}"
        return f"{self.kind}: {self.identical} of {self.asked} answers came again to the letter{moved}"


def repeat(instances: Sequence[Instance], before: Look, sampler: Sampler, cfg: DictConfig) -> list[Repeated]:
    """Ask the first instances again, with the same seeds; `sampler` must not answer from a cache."""
    some = list(instances[: cfg.preflight.repeats])
    return [
        _compared("greedy", some, before.greedy, sampler, cfg, 0.0),
        _compared("sampled", some, before.sampled, sampler, cfg, float(cfg.grpo.temperature)),
    ]


def _compared(
    kind: str,
    instances: Sequence[Instance],
    before: Sequence[Sample],
    sampler: Sampler,
    cfg: DictConfig,
    temperature: float,
) -> Repeated:
    came = [one for one in before if one.sample == 0 and one.came]
    first = {one.instance_id: one.output for one in came}
    asked = [instance for instance in instances if instance.instance_id in first]
    prompts = [prompt_of(instance, cfg) for instance in asked]
    drawn = sampler.generate(prompts, samples=1, temperature=temperature, seeds=seeds_of(asked, cfg.seed))
    again = [(first[one.instance_id], row[0].text) for one, row in zip(asked, drawn, strict=True) if not row[0].fault]
    alike = [SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in again]
    return Repeated(kind, len(again), sum(a == b for a, b in again), min(alike, default=None))
