"""The sft stage."""

import shutil
from typing import Any

from openswerl.files import write_json
from openswerl.models.checkpoint import base_checkpoint, encode, load_policy, prompt_fits, save_policy
from openswerl.models.prompts import repair_prompt
from openswerl.records import Instance, read_parquet
from openswerl.rollout.local import LocalSampler
from openswerl.sft.demonstrations import make_demonstrations
from openswerl.sft.trainer import train
from openswerl.stage import Job
from openswerl.tracking import mirror


def run(job: Job) -> dict[str, Any]:
    """Make demonstrations, train on them from the base policy; writes policy/, metrics.jsonl, demonstrations.json."""
    cfg = job.cfg
    policy, tokenizer = load_policy(cfg.model, base_checkpoint(cfg.model))
    form, limit = cfg.model.prompt, cfg.model.max_prompt_tokens
    instances = [
        instance
        for instance in read_parquet(job.inputs["relate"] / "instances.parquet", Instance)
        if prompt_fits(tokenizer, repair_prompt(instance.task, form), limit)
    ]
    done = make_demonstrations(instances, LocalSampler(policy, tokenizer, cfg.model, cfg.rollout), cfg)
    rows = [
        (
            encode(tokenizer, repair_prompt(instance.task, form), limit),
            [*tokenizer.encode(answer, add_special_tokens=False), tokenizer.eos_token_id],
        )
        for instance, answer in done.kept
    ]
    tracker = train(cfg, policy, rows, job.scratch)
    counts = {"sampled": done.sampled, "kept": len(done.kept), "rejected": dict(sorted(done.rejected.items()))}
    write_json(job.out / "demonstrations.json", counts)
    shutil.copyfile(job.scratch / "metrics.jsonl", job.out / "metrics.jsonl")
    save_policy(policy, tokenizer, job.out / "policy")
    group = f"sft-{cfg.sft.name}-seed{cfg.seed}"
    mirror(tracker.rows, cfg, stage="sft", digest=job.digest, group=group, folder=job.out)
    return {"instances": len(instances), "demonstrations": len(rows), "steps": cfg.sft.steps}
