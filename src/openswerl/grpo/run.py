"""The grpo stage."""

import shutil
from typing import Any

from openswerl.errors import UserError
from openswerl.grpo.trainer import Trainer
from openswerl.models.checkpoint import base_checkpoint, load_policy, prompt_fits, save_policy
from openswerl.models.prompts import repair_prompt
from openswerl.parquet import read_parquet
from openswerl.records import Instance
from openswerl.stage import Job
from openswerl.tracking import mirror


def run(job: Job) -> dict[str, Any]:
    """Train from the base policy on the related instances; writes policy/, metrics.jsonl and rollouts.jsonl."""
    cfg = job.cfg
    policy, tokenizer = load_policy(cfg.model, base_checkpoint(cfg.model))
    found = read_parquet(job.inputs["relate"] / "instances.parquet", Instance)
    form, limit = cfg.model.prompt, cfg.model.max_prompt_tokens
    instances = [item for item in found if prompt_fits(tokenizer, repair_prompt(item.task, form), limit)]
    if not instances:
        raise UserError(f"no instance of {job.inputs['relate']} fits model.max_prompt_tokens={limit}")
    trainer = Trainer(cfg, policy, tokenizer, job.scratch)
    if trainer.step:
        print(f"grpo: resuming after step {trainer.step}", flush=True)
    trainer.train(instances)
    for name in ("metrics.jsonl", "rollouts.jsonl"):
        shutil.copyfile(job.scratch / name, job.out / name)
    save_policy(trainer.policy, tokenizer, job.out / "policy")
    group = f"grpo-{cfg.reward.name}-seed{cfg.seed}"
    mirror(trainer.tracker.rows, cfg, stage="grpo", digest=job.digest, group=group, folder=job.out)
    return {"instances": len(instances), "too_long": len(found) - len(instances), "steps": cfg.grpo.steps}
