"""One GRPO run: sample, score, one update a step, checkpoint; resumes to the same bytes after a kill."""

import copy
from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.files import read_jsonl, write_jsonl
from openswerl.grpo.loss import LossTerms, group_advantages, grpo_loss
from openswerl.grpo.rollouts import (
    Group,
    draw_groups,
    open_rewards,
    reward_table,
    rollout_metrics,
    rollout_rows,
)
from openswerl.models import engine as engines
from openswerl.models.batches import batch_at, step_seed
from openswerl.models.checkpoint import encode
from openswerl.models.logprobs import completion_logprobs
from openswerl.models.prompts import repair_prompt
from openswerl.records import Instance
from openswerl.reward import ScorePool
from openswerl.rollout.local import LocalSampler
from openswerl.tracking import Tracker


class Trainer:
    """Holds the policy, the frozen reference (if the KL term is on) and the files of a run in `scratch`."""

    def __init__(
        self, cfg: DictConfig, policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, scratch: Path
    ) -> None:
        self.cfg, self.tokenizer, self.scratch = cfg, tokenizer, scratch
        reference = copy.deepcopy(policy).requires_grad_(False) if cfg.grpo.kl_coefficient else None
        self.reference = reference.eval() if reference is not None else None
        self.engine = engines.start_engine(policy.train(), cfg.grpo.optimiser)
        self.policy: PreTrainedModel = self.engine.module
        self.sampler = LocalSampler(self.policy, tokenizer, cfg.model, cfg.rollout)
        self.step = engines.resume(self.engine, scratch / "checkpoints")
        self.tracker = Tracker(scratch / "metrics.jsonl", from_step=self.step)
        self.rollouts = [row for row in read_jsonl(scratch / "rollouts.jsonl") if row["step"] < self.step]

    def train(self, instances: Sequence[Instance]) -> None:
        """Run the remaining steps."""
        grpo = self.cfg.grpo
        with open_rewards(self.cfg.reward) as rewards:
            while self.step < grpo.steps:
                chosen = batch_at(instances, self.step, grpo.prompts_per_step, self.cfg.seed)
                self._one_step(chosen, rewards)
                self.step += 1
                if self.step % grpo.checkpoint_every == 0 or self.step == grpo.steps:
                    self._checkpoint()

    def _one_step(self, instances: Sequence[Instance], rewards: ScorePool) -> None:
        groups = draw_groups(instances, self.sampler, rewards, self.cfg, step_seed(self.cfg.seed, self.step))
        updated = self._update(groups)
        metrics: dict[str, float | int | str] = {**rollout_metrics(groups), **updated}
        self.rollouts += [msgspec.to_builtins(row) for row in rollout_rows(groups, self.step)]
        self.tracker.log(self.step, metrics)
        print(
            f"grpo {self.step + 1}/{self.cfg.grpo.steps} reward {metrics['reward_mean']:+.3f} "
            f"format {metrics['format_rate']:.2f} exact {metrics['exact_rate']:.2f} loss {metrics['loss']:+.4f}",
            flush=True,
        )

    def _update(self, groups: Sequence[Group]) -> dict[str, float]:
        """One optimiser step on the groups that carry a signal (all of them when the KL term is on)."""
        grpo = self.cfg.grpo
        advantages, live = group_advantages(reward_table(groups))
        lr = engines.learning_rate(self.step, grpo.steps, grpo.optimiser)
        used = [i for i in range(len(groups)) if live[i] or self.reference is not None]
        values = {"loss": 0.0, "kl": 0.0, "clipped": 0.0, "grad_norm": 0.0}
        if used:
            values = self._backward([groups[i] for i in used], advantages[used], len(groups))
            values["grad_norm"] = engines.step_engine(self.engine, lr)
        return {**values, "lr": lr, "zero_variance": 1 - live.float().mean().item()}

    def _backward(self, groups: Sequence[Group], advantages: torch.Tensor, total: int) -> dict[str, float]:
        """Back-propagate the batch's loss; groups run one by one, so that none is padded to another's longest row."""
        terms = [
            self._group_loss(group, gain, total * self.cfg.grpo.group_size)
            for group, gain in zip(groups, advantages, strict=True)
        ]
        loss = torch.stack([term.loss for term in terms]).sum()
        self.engine.backward(loss)
        kl, clipped = (sum(values) / len(terms) for values in zip(*((t.kl, t.clipped) for t in terms), strict=True))
        return {"loss": loss.item(), "kl": kl, "clipped": clipped}

    def _group_loss(self, group: Group, advantages: torch.Tensor, sequences: int) -> LossTerms:
        grpo, model = self.cfg.grpo, self.cfg.model
        prompt = encode(self.tokenizer, repair_prompt(group.instance.task, model.prompt), model.max_prompt_tokens)
        rows = [completion.token_ids for completion in group.completions]
        logprobs, mask = completion_logprobs(self.policy, [prompt], rows, grpo.temperature)
        reference = None
        if self.reference is not None:
            with torch.no_grad():
                reference, _ = completion_logprobs(self.reference, [prompt], rows, grpo.temperature)
        # One update per batch: the old policy is the present one, and clipping starts to bite only with more.
        return grpo_loss(
            logprobs,
            logprobs.detach(),
            reference,
            advantages.to(logprobs.device),
            mask,
            clip=grpo.clip,
            kl_coefficient=grpo.kl_coefficient,
            sequences=sequences,
        )

    def _checkpoint(self) -> None:
        """Rollouts first, then weights: a kill in between leaves rows that resuming drops."""
        write_jsonl(self.scratch / "rollouts.jsonl", self.rollouts)
        engines.save(self.engine, self.scratch / "checkpoints", self.step)
