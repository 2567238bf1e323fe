"""Supervised fine-tuning on packed rows, with the loss on answer tokens alone (our assumption; the paper is silent)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models import distributed
from openswerl.models.engine import Engine, learning_rate
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.packing import Tree
from openswerl.sft.probe import Probe
from openswerl.sft.rows import Row, answer_tokens, fill_rows, pack_rows
from openswerl.tracking.journal import Tracker
from openswerl.training.finite import Guard, all_finite

SHOWN = ("loss", "eval_loss", "format_rate")


@dataclass(frozen=True)
class Documents:
    """What is trained on: own and general documents; and those held out, which only measure."""

    own: Sequence[Tree]
    general: Sequence[Tree] = ()
    held_out: Sequence[Tree] = ()


@dataclass
class Trainer:
    """A run in `scratch`: resumes from its newest checkpoint; the main process keeps metrics and timings there."""

    cfg: DictConfig
    engine: Engine
    documents: Documents
    probe: Probe
    scratch: Path
    step: int = field(init=False)
    team_size: int = field(init=False)

    def __post_init__(self) -> None:
        sft = self.cfg.sft
        self.team_size = sft.optimiser.sequence_parallel
        if sft.rows_per_step % (teams := distributed.world() // self.team_size):
            what = "processes" if self.team_size == 1 else "the teams of processes"
            raise UserError(f"sft.rows_per_step={sft.rows_per_step} is no multiple of {what}={teams}")
        self.step = self.engine.resume(self.scratch / "checkpoints")
        self.rows = fill_rows(
            self.documents.own,
            self.documents.general,
            rows=sft.steps * sft.rows_per_step,
            row_tokens=sft.row_tokens,
            share=sft.mix.share,
            seed=self.cfg.seed,
        )
        self.guard = Guard("sft", sft.nonfinite_steps, sft.steps)
        names = ("metrics", "timings") if distributed.is_main() else ()
        self.trackers = [Tracker(self.scratch / f"{name}.jsonl", from_step=self.step) for name in names]

    def train(self) -> list[dict[str, Any]]:
        """Run the remaining steps; returns the metrics of all of them.

        Raises UserError once `sft.nonfinite_steps` in a row, or the last of all, had no finite loss and gradient.
        """
        sft = self.cfg.sft
        while self.step < sft.steps:
            started = time.perf_counter()
            metrics = self._update(self.rows[self.step * sft.rows_per_step :][: sft.rows_per_step])
            trained = time.perf_counter()
            if (self.step + 1) % sft.evaluate_every == 0 or self.step + 1 == sft.steps:
                metrics |= self._evaluate()
            self._log(metrics, trained - started, time.perf_counter() - trained)
            self.guard.watch(self.step, not metrics["nonfinite"])
            self.step += 1
            if not self.guard.row and (self.step % sft.checkpoint_every == 0 or self.step == sft.steps):
                self.engine.save(self.scratch / "checkpoints", self.step, keep=sft.checkpoints_kept)
        return self.trackers[0].rows if self.trackers else []

    def _update(self, rows: Sequence[Row]) -> dict[str, Any]:
        """One optimiser step; each row is a micro-batch, and each process, or team of them, has its share."""
        tokens, total = answer_tokens(rows), 0.0
        for row in distributed.share(rows, self.team_size):
            part = self._loss(row) / tokens
            self.engine.backward(part)
            total += part.item()
        lr = learning_rate(self.step, self.cfg.sft.steps, self.cfg.sft.optimiser)
        norm = self.engine.step(lr)
        loss = distributed.sum_over_ranks({"loss": total}, self.team_size)["loss"]
        return {
            "loss": loss,
            "lr": lr,
            "grad_norm": norm,
            "nonfinite": int(not all_finite(loss, norm)),
            "answer_tokens": tokens,
            "row_tokens": sum(map(_length, rows)),
        }

    def _loss(self, row: Row) -> torch.Tensor:
        """The summed cross-entropy of the row's answer tokens; padding holds 0."""
        policy, forward = self.engine.module, self.cfg.model.forward
        return -branch_logprobs(policy, row, forward=forward, team=self.engine.team).logprobs.sum()

    def _evaluate(self) -> dict[str, Any]:
        """The loss on held-out documents (null if there are none), and the share of well-formed greedy answers."""
        with torch.no_grad():
            mine = [self._loss(row).item() for row in self._held_out_rows()]
        # a row that only fills up, for equally many forward passes on all processes, does not count
        rows = pack_rows(self.documents.held_out, self.cfg.sft.row_tokens)
        count = len(distributed.share(rows, self.team_size))
        loss = distributed.sum_over_ranks({"loss": sum(mine[:count])}, self.team_size)["loss"]
        tokens = answer_tokens([list(self.documents.held_out)])
        return {"eval_loss": loss / tokens if tokens else None, "format_rate": self.probe.format_rate()}

    def _held_out_rows(self) -> list[Row]:
        rows = pack_rows(self.documents.held_out, self.cfg.sft.row_tokens)
        missing = -len(rows) % (distributed.world() // self.team_size)
        return distributed.share(rows + rows[:1] * missing, self.team_size)

    def _log(self, metrics: dict[str, Any], train_s: float, evaluate_s: float) -> None:
        if not self.trackers:
            return
        times = {"train_s": train_s, "evaluate_s": evaluate_s, "tokens_per_s": metrics["row_tokens"] / train_s}
        for tracker, values in zip(self.trackers, (metrics, times), strict=True):
            tracker.log(self.step, values)
        if "format_rate" in metrics or self.step == 0:
            shown = {name: metrics[name] for name in SHOWN if metrics.get(name) is not None}
            line = " ".join(f"{name} {value:.3f}" for name, value in shown.items())
            print(f"sft {self.step + 1}/{self.cfg.sft.steps} {line}", flush=True)


def _length(row: Row) -> int:
    return sum(map(len, row))
