"""One GRPO run (paper 2.2, Eq. 2): sample, score, update, checkpoint; resumes to the same bytes after a kill."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.grpo.advantages import group_advantages
from openswerl.grpo.log import Log
from openswerl.grpo.loss import Batch, Objective, grpo_loss
from openswerl.grpo.micro import Micro, micro_batches
from openswerl.grpo.reference import open_reference
from openswerl.grpo.rollouts import Group, Place, Rollout, reward_table, sample_groups, score_groups
from openswerl.grpo.staleness import check_versions
from openswerl.grpo.timings import Clock
from openswerl.models.batches import batch_at
from openswerl.models.checkpoint import encode
from openswerl.models.distributed import gather, max_over_ranks, pool, share, sum_over_ranks
from openswerl.models.engine import Engine, learning_rate
from openswerl.models.logprobs import TokenLogprobs, branch_logprobs
from openswerl.models.packing import Tree
from openswerl.models.prompts import prompt_of
from openswerl.records import Instance
from openswerl.reward import ScorePool
from openswerl.rollout.policies import policy_sampler
from openswerl.training.finite import Guard, all_finite

UNANSWERED = (
    "had no answer at all from the sampler, for the reasons that alarm unanswered names; mend them and run again: the "
    "run goes on from its last checkpoint"
)


@dataclass(frozen=True)
class Drawn:
    """This rank's groups of a step, the rewards [prompts, group] of all ranks, and counts for the log.

    `replaced` are groups without a signal that others took the place of: recorded, not trained on.
    """

    groups: list[Group]
    table: torch.Tensor
    counts: dict[str, float]
    replaced: list[Group] = field(default_factory=list)

    def rows(self, step: int) -> list[Rollout]:
        """Return the samples of all ranks, as first drawn and then attempt by attempt."""
        mine = [group.rows(step) for group in [*self.groups, *self.replaced]]
        ordered = sorted(gather(mine), key=lambda rows: (rows[0].attempt, rows[0].place))
        return [row for rows in ordered for row in rows]


class Trainer:
    """The policy under training, its reference if the KL term is on, and the checkpoints in `scratch`.

    Prompt i of a step belongs to rank i modulo the number of processes, which samples, scores and back-propagates it;
    with `optimiser.sequence_parallel` teams of so many processes back-propagate it together.
    """

    def __init__(
        self, cfg: DictConfig, policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, scratch: Path
    ) -> None:
        self.cfg, self.tokenizer, self.checkpoints = cfg, tokenizer, scratch / "checkpoints"
        self.objective, self.rounds = Objective.of(cfg.grpo), rounds_of(cfg.grpo)
        self.reference = open_reference(cfg.grpo, policy)
        self.engine = Engine.start(policy.train(), cfg.grpo.optimiser)
        self.policy: PreTrainedModel = self.engine.module
        self.team_size: int = cfg.grpo.optimiser.sequence_parallel
        self.step = self.engine.resume(self.checkpoints)
        self.sampler, self.publisher = policy_sampler(self.policy, tokenizer, cfg)  # last: it may hold a server
        self.clock, alarms, steps = Clock(), cfg.grpo.alarms, cfg.grpo.steps
        self.guard = Guard("grpo", alarms.nonfinite_steps, steps)
        self.answers = Guard("grpo", alarms.unanswered_steps, steps, UNANSWERED)

    def train(self, instances: Sequence[Instance], rewards: ScorePool, log: Log | None) -> None:
        """Run the remaining steps; the main process has a log.

        Raises UserError once `grpo.alarms.nonfinite_steps` in a row, or the last of all, had no finite update, and
        likewise for `unanswered_steps` without a single answer.
        """
        grpo = self.cfg.grpo
        while self.step < grpo.steps:
            drawn = self._draw(instances, rewards)
            metrics = {**self._update(drawn), **drawn.counts}
            rows = drawn.rows(self.step)
            seconds = self.clock.lap()
            if log is not None:
                log.step(self.step, rows, metrics, seconds)
            self.guard.watch(self.step, not metrics["nonfinite"])
            self.answers.watch(self.step, any(row.answered for row in rows))
            self.step += 1
            if not (self.guard.row or self.answers.row) and (
                self.step % grpo.checkpoint_every == 0 or self.step == grpo.steps
            ):
                self.engine.save(self.checkpoints, self.step, keep=grpo.checkpoints_kept)

    def _draw(self, instances: Sequence[Instance], rewards: ScorePool) -> Drawn:
        """Sample and score this rank's prompts by the policy as it is.

        With `grpo.zero_variance=resample` others are drawn in place of prompts whose rewards are all alike.
        """
        with self.clock.phase("publish"):
            self.publisher.publish(self.policy, self.step)
        chosen = batch_at(instances, self.step, self.cfg.grpo.prompts_per_step, self.cfg.seed)
        groups = self._sample(share([Place(i, instance) for i, instance in enumerate(chosen)]), rewards)
        table, live = self._gathered(groups)
        counts, replaced = {"zero_variance": share_of(~live), "resampled": 0.0}, []
        for _ in range(self.rounds):
            if live.all():
                break
            counts["resampled"] += int((~live).sum())
            alike = [group for group in groups if not live[group.place.number]]
            others = [group.place.other(instances, self.cfg.seed, self.step) for group in alike]
            replaced += alike
            fresh = {group.place.number: group for group in self._sample(others, rewards)}
            groups = [fresh.get(group.place.number, group) for group in groups]
            table, live = self._gathered(groups)
        return Drawn(groups, table, {**counts, "zero_variance_kept": share_of(~live)}, replaced)

    def _sample(self, places: Sequence[Place], rewards: ScorePool) -> list[Group]:
        with self.clock.phase("generate"), self.engine.gathered() if self.publisher.live else nullcontext():
            drawn = sample_groups(places, self.sampler, self.cfg, self.step)
        if self.publisher.follows:  # else `rollout.off_policy` has allowed other weights
            check_versions((one for group in drawn for one in group), self.step, self.cfg.rollout.stale)
        with self.clock.phase("score"):
            return score_groups(places, drawn, rewards, self.cfg)

    def _gathered(self, groups: Sequence[Group]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the rewards of all ranks, and which prompts have a signal."""
        table = reward_table(gather([group.rewards for group in groups]))
        return table, group_advantages(table)[1]

    def _update(self, drawn: Drawn) -> dict[str, Any]:
        """Make `grpo.iterations` optimiser steps; without a group that has a signal (or the KL term) there is none."""
        grpo = self.cfg.grpo
        advantages, live = group_advantages(drawn.table, self.objective.advantage_scaling)
        mine = [g for g in drawn.groups if g.scored and (self.reference is not None or live[g.place.number])]
        used = pool(mine, self.team_size)
        count = max_over_ranks(-(-len(used) // grpo.micro_batch_groups))
        micro = micro_batches(used, grpo.micro_batch_groups, advantages, self._encode, count)
        tokens = sum_over_ranks({"tokens": sum(g.scored_tokens for g in drawn.groups)})["tokens"]
        batch = Batch(drawn.table.numel(), int(tokens), self.cfg.model.max_response_tokens)
        lr = learning_rate(self.step, grpo.steps, grpo.optimiser)
        done = [self._iteration(micro, batch, lr) for _ in range(grpo.iterations if micro else 0)]
        return {"lr": lr, **update_metrics(done)}

    def _iteration(self, micro: Sequence[Micro], batch: Batch, lr: float) -> dict[str, float]:
        """One optimiser step over all micro-batches; returns sums over all ranks, and the gradient's norm."""
        sums: Counter[str] = Counter()
        for part in micro:
            with self.clock.phase("forward"):
                loss, logged = self._loss(part, batch)
            with self.clock.phase("backward"):
                self.engine.backward(loss)
            sums.update(logged)
        with self.clock.phase("optimiser"):
            norm = self.engine.step(lr)
        worst = max(gather([part.worst for part in micro]))
        return {**sum_over_ranks(sums, self.team_size), "grad_norm": norm, "sampler_gap_max": worst}

    def _loss(self, part: Micro, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
        """Return a micro-batch's loss; the first iteration's log-probabilities are those of the old policy."""
        if self.reference is not None and part.reference is None:
            with torch.no_grad(), self.reference() as reference:
                part.reference = self._logprobs(reference, part.trees).logprobs
        now = self._logprobs(self.policy, part.trees)
        if part.old is None:
            part.old = now.logprobs.detach()
            if self.cfg.rollout.stale == "correct":
                part.correct(self.cfg.rollout.correction_cap)
        gains = part.advantages.to(now.logprobs.device)
        terms = grpo_loss(
            now.logprobs, part.old, part.reference, gains, part.mask(now), batch, self.objective, part.weights
        )
        return terms.loss, {**terms.sums, **part.sums(now), "loss": terms.loss.item()}

    def _logprobs(self, policy: PreTrainedModel, trees: Sequence[Tree]) -> TokenLogprobs:
        """Return log-probabilities at the temperature that the samples were drawn at."""
        temperature, forward = self.cfg.grpo.temperature, self.cfg.model.forward
        return branch_logprobs(policy, trees, temperature=temperature, forward=forward, team=self.engine.team)

    def _encode(self, group: Group) -> list[int]:
        return encode(self.tokenizer, prompt_of(group.place.instance, self.cfg), self.cfg.model.max_prompt_tokens)


def rounds_of(grpo: DictConfig) -> int:
    """Return how often prompts without a signal are replaced."""
    return int(grpo.resample_rounds) if grpo.zero_variance == "resample" else 0


def share_of(which: torch.Tensor) -> float:
    """Return the share of true values."""
    return which.double().mean().item()


def update_metrics(done: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return means over the iterations of an update (over tokens where that makes sense); of no update, zeros.

    What was not measured, such as KL without a reference, is None. `sampler_gap` (mean difference, in nats),
    `sampler_far` (share of tokens that differ much) and `sampler_gap_max` are of the first iteration, as later ones
    differ by the update too; they are missing where the sampler gives no log-probabilities.
    """
    if not done:
        return {"loss": 0.0, "kl": None, "entropy": None, "grad_norm": 0.0, "nonfinite": 0, "forwarded_tokens": 0}
    total: Counter[str] = Counter()
    for sums in done:
        total.update(sums)
    per_token = ("kl", "ratio", "clipped_low", "clipped_high", "entropy")
    finite = [all_finite(sums["loss"], sums["grad_norm"]) for sums in done]
    gaps = [name for name in ("sampler_gap", "sampler_far") if name in done[0]]
    gap = {name: done[0][name] / max(1.0, done[0]["tokens"]) for name in gaps}
    gap |= {"sampler_gap_max": done[0]["sampler_gap_max"]} if gap else {}
    return {
        "kl": None,
        **gap,
        **{name: total[name] / max(1.0, total["tokens"]) for name in per_token if name in total},
        **{name: total[name] / len(done) for name in ("loss", "grad_norm")},
        "nonfinite": finite.count(False),
        "forwarded_tokens": int(total["forwarded"]),
    }
