"""Supervised fine-tuning with the loss on answer tokens alone (which tokens carry loss is our assumption)."""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from omegaconf import DictConfig
from transformers import PreTrainedModel

from openswerl.models import engine as engines
from openswerl.models.batches import batch_at
from openswerl.models.logprobs import right_pad
from openswerl.tracking import Tracker

CHECKPOINT_EVERY = 100
Row = tuple[list[int], list[int]]


def answer_loss(policy: PreTrainedModel, rows: Sequence[Row]) -> torch.Tensor:
    """Mean cross-entropy over the answer tokens of (prompt ids, answer ids) rows."""
    tokens, mask = right_pad([prompt + answer for prompt, answer in rows], policy.device)
    carries = mask.clone()
    for i, (prompt, _) in enumerate(rows):
        carries[i, : len(prompt)] = False
    hidden = policy.base_model(input_ids=tokens, attention_mask=mask.long()).last_hidden_state
    kept = carries[:, 1:]
    return F.cross_entropy(policy.lm_head(hidden[:, :-1][kept]).float(), tokens[:, 1:][kept])


def train(cfg: DictConfig, policy: PreTrainedModel, rows: Sequence[Row], scratch: Path) -> Tracker:
    """Run `sft.steps` steps in place, resuming from `scratch`; returns the metrics."""
    sft = cfg.sft
    engine = engines.start_engine(policy.train(), sft.optimiser)
    first = engines.resume(engine, scratch / "checkpoints")
    tracker = Tracker(scratch / "metrics.jsonl", from_step=first)
    for step in range(first, sft.steps):
        loss = answer_loss(engine.module, batch_at(rows, step, sft.batch_size, cfg.seed))
        engine.backward(loss)
        lr = engines.learning_rate(step, sft.steps, sft.optimiser)
        norm = engines.step_engine(engine, lr)
        tracker.log(step, {"loss": loss.item(), "lr": lr, "grad_norm": norm})
        if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == sft.steps:
            engines.save(engine, scratch / "checkpoints", step + 1)
            print(f"sft {step + 1}/{sft.steps} loss {loss.item():.3f}", flush=True)
    return tracker
