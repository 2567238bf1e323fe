"""The preflight stage."""

import functools
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import msgspec
from omegaconf import DictConfig, OmegaConf

from openswerl.edits import rules_of
from openswerl.errors import UserError
from openswerl.files import write_json, write_jsonl
from openswerl.models.checkpoint import base_checkpoint
from openswerl.models.distributed import is_main
from openswerl.models.prompts import check_fit
from openswerl.preflight import agreement
from openswerl.preflight.advice import HOT
from openswerl.preflight.budget import budget
from openswerl.preflight.checks import Check, fit_check, gold_check, leak_check, tokenizer_check
from openswerl.preflight.diagnosis import diagnose, hot
from openswerl.preflight.figure import draw
from openswerl.preflight.numbers import numbers
from openswerl.preflight.page import write_page
from openswerl.preflight.repeat import Repeated, repeat
from openswerl.preflight.sampling import Look, choose, look
from openswerl.preflight.telling import tell
from openswerl.preflight.trial import Trial, try_training
from openswerl.preflight.verdict import judge
from openswerl.records import Instance
from openswerl.reward import ScorePool, open_rewards
from openswerl.reward.gate import gate
from openswerl.rollout import Sampler, open_sampler
from openswerl.rollout.policies import check_follows
from openswerl.stage import Job
from openswerl.training.rewards import reward_of
from openswerl.training.select import read_instances

MEASURED = 500  # instances whose prompts are counted


def run(job: Job) -> dict[str, Any]:
    """Look at a few samples, then train a little if `preflight.trial` asks for it.

    Writes preflight.json, preflight.html, preflight.png and samples.jsonl; several processes share the trial alone.
    """
    check_fit(job.cfg.prompt, job.cfg.reward.kind)
    if job.cfg.preflight.trial:
        check_follows(job.cfg.rollout)  # before anything is asked and paid for
    instances = read_instances(job.inputs["relate"] / "instances.parquet")
    seen = examine(job, instances) if is_main() else None
    trial = try_training(job, instances) if job.cfg.preflight.trial else None
    return write(job, seen, trial) if seen is not None else {}


class Seen(msgspec.Struct, frozen=True):
    """What looking has found."""

    instances: list[Instance]
    fits: Check
    checks: list[Check]
    too_long: float
    look: Look
    repeated: list[Repeated]


def examine(job: Job, instances: Sequence[Instance]) -> Seen:
    """Make the checks and draw the samples."""
    cfg, say = job.cfg, functools.partial(print, "preflight:", flush=True)
    some = choose(instances, MEASURED, cfg.seed)
    with (
        closing(open_sampler(cfg.model, cfg.rollout, cfg.serving, base_checkpoint(cfg.model))) as sampler,
        open_rewards(reward_of(job), cfg.edits) as rewards,
    ):
        fits, fitting, too_long = fit_check(sampler, some, cfg)
        if not fitting:
            raise UserError(f"no prompt can be asked: {fits.detail}; raise model.max_prompt_tokens")
        chosen = choose(fitting, cfg.preflight.instances, cfg.seed)
        checks, able = _checks(chosen, sampler, rewards, cfg)
        say(f"{len(able)} instances, {cfg.preflight.samples} samples each, by {cfg.rollout.name}")
        found = look(able, sampler, rewards, cfg, say)
        again = _repeat(able, found, sampler, cfg)
    return Seen(able, fits, checks, too_long, found, again)


def _checks(
    chosen: Sequence[Instance], sampler: Sampler, rewards: ScorePool, cfg: DictConfig
) -> tuple[list[Check], list[Instance]]:
    golden = gate(chosen, rewards)
    agree = tokenizer_check(lambda: agreement.compare(sampler, cfg), needed=agreement.needed(cfg.rollout))
    checks = [gold_check(golden), agree, leak_check(chosen, cfg)]
    return checks, golden.passed or list(chosen)


def _repeat(instances: Sequence[Instance], found: Look, sampler: Sampler, cfg: DictConfig) -> list[Repeated]:
    """Ask again; an endpoint through a sampler that keeps no answers, or the cache would repeat itself."""
    if not cfg.preflight.repeats or cfg.rollout.backend == "replay":
        return []
    if cfg.rollout.backend != "openai":
        return repeat(instances, found, sampler, cfg)
    serving = OmegaConf.create({**cfg.serving, "cache": False, "record": False})
    with closing(open_sampler(cfg.model, cfg.rollout, serving, base_checkpoint(cfg.model))) as fresh:
        return repeat(instances, found, fresh, cfg)


def write(job: Job, seen: Seen, trial: Trial | None) -> dict[str, Any]:
    """Judge, write everything, and print it in short."""
    cfg, out, found = job.cfg, job.out, conclude(job.cfg, seen, trial)
    samples = [*seen.look.greedy, *seen.look.sampled]
    draw(found["numbers"], seen.look.sampled, cfg.preflight.rules, cfg.grpo.truncated_reward, out / "preflight.png")
    write_page(out / "preflight.html", cfg, out / "preflight.png", found, samples)
    write_json(out / "preflight.json", msgspec.to_builtins(found))
    write_jsonl(out / "samples.jsonl", [msgspec.to_builtins(one) for one in samples])
    tell(found, seen.look, cfg.preflight.rules)
    return {"verdict": str(found["verdict"]), "ready": found["verdict"].ready, "model": seen.look.model}


def conclude(cfg: DictConfig, seen: Seen, trial: Trial | None) -> dict[str, Any]:
    """Return all that preflight.json says."""
    sampled, by_id = seen.look.sampled, {instance.instance_id: instance for instance in seen.instances}
    found = numbers(sampled, seen.too_long, cfg.grpo.truncated_reward, cfg.preflight.confidence)
    causes, warm = diagnose(sampled, by_id, rules_of(cfg.edits)), hot(seen.look.greedy, sampled)
    cause = HOT if warm else causes[0]["advice"] if causes else None
    return {
        "verdict": judge(found, seen.checks, cfg.preflight.rules, cause),
        "numbers": found,
        "checks": [seen.fits, *seen.checks],
        "repeated": seen.repeated,
        "causes": causes,
        "hot": warm,
        "budget": budget(seen.look, cfg, trial.step_seconds if trial else None),
        "trial": trial,
        "model": seen.look.model,
    }
