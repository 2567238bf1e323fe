"""DeepSpeed around a policy: back-propagate, step at a scheduled rate, save, resume, export.

The same calls serve one CPU and many GPUs, in every ZeRO stage. A step's gradient is the sum over the micro-batches of
all processes, each of which must run equally many.
"""

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.models import checkpoints, partitioned, zero
from openswerl.models.distributed import world
from openswerl.models.dropout import remove_dropout
from openswerl.models.export import export_policy
from openswerl.models.logprobs import CHECKPOINT
from openswerl.models.ulysses import Team, open_team


class Engine:
    """A policy in training; `Engine.start` makes one. Its `team` are the processes that read each row with this one."""

    def __init__(self, deepspeed: Any, optimiser: DictConfig, team: Team | None) -> None:
        self._deepspeed, self._optimiser, self.team = deepspeed, optimiser, team

    @classmethod
    def start(cls, policy: PreTrainedModel, optimiser: DictConfig) -> "Engine":
        """Wrap the policy for training with AdamW, on this process's device; its dropout is removed.

        Raises UserError for settings that do not go together.
        """
        settings = zero.settings(policy, optimiser)
        zero.open_process_group()
        import deepspeed

        team = open_team(policy, optimiser.sequence_parallel)
        remove_dropout(policy)
        if optimiser.gradient_checkpointing:
            checkpoint_activations(policy)
        adamw = zero.adamw(policy, optimiser)
        if optimiser.zero_stage == 3:
            partitioned.spread(policy, settings, zero.device())
        wrapped, *_ = deepspeed.initialize(model=policy.train(), optimizer=adamw, config=settings)
        if optimiser.zero_stage == 0:
            wrapped.enable_backward_allreduce = False  # `_step_whole` does that, to know the norm before the step
        if optimiser.zero_stage == 3:
            partitioned.follow_forwards(wrapped)
        return cls(wrapped, optimiser, team)

    @property
    def module(self) -> PreTrainedModel:
        """The policy itself; under ZeRO-3 its parameters are whole only inside `gathered`."""
        module: PreTrainedModel = self._deepspeed.module
        return module

    def backward(self, loss: torch.Tensor) -> None:
        """Add the gradient of one micro-batch's part of the loss, already divided by the global batch's count."""
        # DeepSpeed counts micro-batches in its own forward, which we do not call, and averages over the processes
        if hasattr(self._deepspeed.optimizer, "clear_backward_seen_flag"):
            self._deepspeed.optimizer.clear_backward_seen_flag()
        self._deepspeed.backward(loss * world(), scale_wrt_gas=False)

    def step(self, lr: float) -> float:
        """Apply the gradient at this rate; returns its norm over all parameters before clipping.

        A gradient that is not finite is dropped, and its norm is inf or nan. Every process must have called
        `backward`, equally often.
        """
        for group in self._deepspeed.optimizer.param_groups:
            group["lr"] = lr
        if self._optimiser.zero_stage == 0:
            return self._step_whole()
        self._deepspeed.step()
        return float(self._deepspeed.get_global_grad_norm())

    def _step_whole(self) -> float:
        """A step in stage 0, where DeepSpeed neither tells the norm nor drops what is not finite."""
        if world() > 1:
            self._deepspeed.buffered_allreduce_fallback()
        norm = float(torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._optimiser.max_grad_norm))
        if math.isfinite(norm):
            self._deepspeed.step()
        else:
            self._deepspeed.zero_grad()
        return norm

    def save(self, folder: Path, step: int, *, keep: int = 2) -> None:
        """Save all that resuming needs as `folder/step<step>`, and delete all but the `keep` newest."""
        checkpoints.save(self._deepspeed, folder, step, keep)

    def resume(self, folder: Path) -> int:
        """Load the newest checkpoint in place; returns the number of finished steps, 0 if there is none.

        Raises UserError, on every process, if that checkpoint is damaged or of another number of processes.
        """
        return checkpoints.resume(self._deepspeed, folder)

    @contextmanager
    def gathered(self) -> Iterator[PreTrainedModel]:
        """The policy with whole parameters on every process, for sampling; they must not be changed inside."""
        with partitioned.whole(self._deepspeed):
            yield self.module

    def export(self, folder: Path, tokenizer: PreTrainedTokenizerBase, card: str) -> None:
        """Write a Hugging Face directory with `card` as its README.md; see `export.export_policy`."""
        export_policy(self.module, folder, tokenizer, card)


def frozen_copy(policy: PreTrainedModel, optimiser: DictConfig) -> PreTrainedModel:
    """Return the policy as it is now, for reading alone: the reference of a KL term. Call it before `Engine.start`.

    Under ZeRO-3 its parameters are spread over the processes too.
    """
    reference = copy.deepcopy(policy).requires_grad_(False).eval()
    zero.open_process_group()
    if optimiser.zero_stage < 3:
        return reference.to(zero.device())
    import deepspeed

    settings = zero.frozen_settings(policy, optimiser)
    partitioned.spread(reference, settings, zero.device())
    wrapped, *_ = deepspeed.initialize(model=reference, config=settings)
    partitioned.follow_forwards(wrapped)
    return reference


def checkpoint_activations(policy: PreTrainedModel) -> None:
    """Recompute each layer in the backward pass; releases of transformers differ in the name of the method."""
    name = "activation_checkpointing_enable"
    enable = getattr(policy, name, None) or policy.gradient_checkpointing_enable
    enable(CHECKPOINT)


def learning_rate(step: int, steps: int, optimiser: DictConfig) -> float:
    """Linear warm-up, and a linear decay that would reach `final_lr` times the peak one step after the last."""
    warm = min(1.0, (step + 1) / max(1, optimiser.warmup_steps))
    rate: float = optimiser.lr * warm * (1 - (1 - optimiser.final_lr) * step / steps)
    return rate
