"""The sft stage."""

import shutil
from typing import Any

from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.models.checkpoint import base_checkpoint, encode, load_policy, prompt_fits, save_policy
from openswerl.models.prompts import Prompt, hinted_prompt, repair_prompt
from openswerl.parquet import read_parquet
from openswerl.records import Instance
from openswerl.rollout.local import LocalSampler
from openswerl.sft.demonstrations import gold_edit, make_demonstrations
from openswerl.sft.trainer import train
from openswerl.stage import Job
from openswerl.tracking import mirror


def run(job: Job) -> dict[str, Any]:
    """Make demonstrations, train on them from the base policy; writes policy/, metrics.jsonl, demonstrations.json."""
    cfg = job.cfg
    policy, tokenizer = load_policy(cfg.model, base_checkpoint(cfg.model))
    form, limit = cfg.model.prompt, cfg.model.max_prompt_tokens
    found = read_parquet(job.inputs["relate"] / "instances.parquet", Instance)
    instances = [item for item in found if prompt_fits(tokenizer, _longest_prompt(item, form), limit)]
    if not instances:
        raise UserError(f"no instance of {job.inputs['relate']} fits model.max_prompt_tokens={limit}")
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
    too_long = len(found) - len(instances)
    return {"instances": len(instances), "too_long": too_long, "demonstrations": len(rows)}


def _longest_prompt(instance: Instance, form: str) -> Prompt:
    return hinted_prompt(instance.task, gold_edit(instance), form)
