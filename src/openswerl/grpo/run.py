"""The grpo stage."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from openswerl.grpo.log import FILES, Log
from openswerl.grpo.trainer import Trainer
from openswerl.models.checkpoint import load_trainable
from openswerl.models.distributed import is_main
from openswerl.models.prompts import check_fit
from openswerl.records import Instance
from openswerl.reward import open_rewards
from openswerl.stage import Job
from openswerl.tracking.replay import replay
from openswerl.training.card import model_card
from openswerl.training.finite import require_finite
from openswerl.training.rewards import reward_of
from openswerl.training.select import read_instances, select


def run(job: Job) -> dict[str, Any]:
    """Train from the base policy on the related instances.

    Writes policy/, metrics.jsonl, rollouts.jsonl, samples.jsonl, alarms.jsonl, timings.jsonl, quarantine.jsonl, plots/.
    """
    cfg = job.cfg
    check_fit(cfg.prompt, cfg.reward.kind)
    found = read_instances(job.inputs["relate"] / "instances.parquet")
    torch.manual_seed(cfg.seed)  # new adapters are drawn at random
    policy, tokenizer = load_trainable(cfg.model)
    trainer = Trainer(cfg, policy, tokenizer, job.scratch)
    with closing(trainer.sampler), open_rewards(reward_of(job), cfg.edits) as rewards:
        selection = select(job, found, tokenizer, rewards)
        log = open_log(job, selection.instances, trainer.step) if is_main() else None
        trainer.train(selection.instances, rewards, log)
    require_finite(trainer.policy, "grpo")
    counts = {
        "instances": len(selection.instances),
        "left_out": selection.reasons,
        "steps": cfg.grpo.steps,
        "sampler": cfg.rollout.name,
    }
    if log is not None:
        keep(job.scratch, job.out)
    trainer.engine.export(job.out / "policy", tokenizer, model_card(job, counts))
    return counts


def open_log(job: Job, instances: list[Instance], from_step: int) -> Log:
    """Return the log of the run; its mirror has been told of the steps so far."""
    if from_step:
        print(f"grpo: resuming after step {from_step}", flush=True)
    log = Log(job.cfg, job.scratch, instances, job.mirror, from_step=from_step)
    replay(job.scratch, job.mirror)
    return log


def keep(scratch: Path, out: Path) -> None:
    """Copy the journals and plots beside the policy; the scratch folder goes when the stage has its result."""
    for name in FILES:
        shutil.copyfile(scratch / name, out / name)
    shutil.copytree(scratch / "plots", out / "plots", dirs_exist_ok=True)
