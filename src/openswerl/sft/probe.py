"""The format rate during training: greedy answers to a few held-out repair prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from openswerl.edits import rules_of
from openswerl.models import distributed
from openswerl.models.engine import Engine
from openswerl.records import Instance
from openswerl.rollout import Sampler
from openswerl.sft.editing import EDITING


@dataclass(frozen=True)
class Probe:
    """Asks the policy in training, whose sampler this is; each process asks its share of the instances."""

    cfg: DictConfig
    engine: Engine
    sampler: Sampler
    instances: Sequence[Instance]

    def format_rate(self) -> float | None:
        """Return the share of finished, well-formed answers; None without instances."""
        if not self.instances:
            return None
        mine, rules = distributed.share(self.instances), rules_of(self.cfg.edits)
        prompts = [EDITING.prompt(instance, self.cfg) for instance in mine]
        with self.engine.gathered():
            drawn = self.sampler.generate(prompts, samples=1, temperature=0.0, seeds=[0] * len(mine))
        good = [
            answer.finished and EDITING.fault(instance, answer.text, rules) is None
            for instance, (answer,) in zip(mine, drawn, strict=True)
        ]
        return sum(distributed.gather(good)) / len(self.instances)
