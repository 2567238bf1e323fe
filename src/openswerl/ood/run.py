"""The ood stage: one policy's greedy answers to the out-of-domain suites, judged (paper Table 3)."""

from contextlib import closing
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.policies import open_policy
from openswerl.files import write_jsonl
from openswerl.ood.asking import Answers, ask, policy_settings
from openswerl.ood.execution import Sandboxes
from openswerl.ood.outcomes import outcomes, prompts
from openswerl.ood.results import CONFIDENCE, metrics, summarise
from openswerl.ood.suite import Row
from openswerl.ood.suites import SUITES, Loaded, load
from openswerl.rollout import count_faults
from openswerl.stage import Job
from openswerl.stages import GATE


def run(job: Job) -> dict[str, Any]:
    """Judge one policy on every suite of `ood.suites`.

    Writes outcomes.jsonl (one row an item), metrics.jsonl, and quarantine.jsonl (rows that are no items, if any).
    """
    cfg = job.cfg
    if cfg.policy in GATE:
        raise UserError(f"policy={cfg.policy} answers no questions; choose base, sft, sft-gold or grpo-<reward>")
    loaded = {name: load(name, settings) for name, settings in cfg.ood.suites.items()}
    if bad := [row for one in loaded.values() for row in one.bad]:
        write_jsonl(job.out / "quarantine.jsonl", bad)
        _say(cfg.policy, f"WARNING: {len(bad)} rows are set aside: quarantine.jsonl")
    with Sandboxes(cfg.ood.sandbox, cfg.ood.test_timeout_s) as sandboxes:
        for settings in cfg.ood.suites.values():
            sandboxes.open(settings.python)  # before the policy answers, so that nothing is asked in vain
        answers = _answers(job, loaded)
        rows = {n: list(outcomes(n, one.items, answers, sandboxes, cfg)) for n, one in loaded.items()}
    write_jsonl(job.out / "outcomes.jsonl", [row for group in rows.values() for row in group])
    return _finish(job, rows, loaded)


def _say(policy: str, text: str) -> None:
    print(f"ood {policy}: {text}", flush=True)


def _answers(job: Job, loaded: dict[str, Loaded]) -> Answers:
    cfg = job.cfg
    policy = open_policy(policy_settings(cfg), job.inputs)
    wanted = prompts({name: one.items for name, one in loaded.items()}, cfg.model.prompt)
    with closing(policy.sampler):
        found = ask(wanted, policy, job.scratch, cfg.seed, lambda text: _say(cfg.policy, text))
    if told := count_faults(one.fault for one in found.values()):
        _say(cfg.policy, f"WARNING: {told} and are in no rate; snakemake --force asks for them again")
    return found


def _finish(job: Job, rows: dict[str, list[Row]], loaded: dict[str, Loaded]) -> dict[str, Any]:
    cfg = job.cfg
    suites = {name: summarise(group, SUITES[name].macro) for name, group in rows.items()}
    for name, found in suites.items():
        found |= {"rows": cfg.ood.suites[name].rows, "quarantined": len(loaded[name].bad)}
        _say(cfg.policy, f"{name}: {found['correct']} of {found['n']} right, {found['not_judged']} not judged")
    numbers = metrics(suites)
    write_jsonl(job.out / "metrics.jsonl", [numbers])
    return {"policy": cfg.policy, "sandbox": cfg.ood.sandbox, "confidence": CONFIDENCE, "suites": suites}
