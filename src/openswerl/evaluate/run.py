"""The evaluate stage: repair, execute, grade."""

import functools
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

from openswerl.config import GATE
from openswerl.edits import rules_of
from openswerl.errors import UserError
from openswerl.evaluate.execution.cache import Cache
from openswerl.evaluate.execution.execute import Executed, execute
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.gate import check_gate, gate_candidate, invalid
from openswerl.evaluate.harness.judge import judge
from openswerl.evaluate.harness.official import OfficialRun
from openswerl.evaluate.oracle.context import build_tasks
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Candidate, Policy, repair
from openswerl.evaluate.oracle.vote import vote
from openswerl.evaluate.outcomes import Row, metrics, outcome_row, summarise
from openswerl.evaluate.policies import open_policy
from openswerl.evaluate.sandbox import isolation
from openswerl.evaluate.sandbox.worker import Worker
from openswerl.evaluate.views import Problem, load
from openswerl.files import write_jsonl
from openswerl.rollout import count_faults
from openswerl.stage import Job
from openswerl.tracking import mirror

Answers = Sequence[tuple[Problem, Sequence[Candidate]]]


def run(job: Job) -> dict[str, Any]:
    """Evaluate one policy, or the gate's gold and none; writes outcomes.jsonl, predictions.jsonl and swebench/."""
    return evaluate(job, lambda: open_policy(job.cfg, job.inputs))


def evaluate(job: Job, open_policy: Callable[[], Policy]) -> dict[str, Any]:
    """Do the stage's work with the policy that `open_policy` returns; the gate's runs do not call it."""
    cfg = job.cfg
    if cfg.evaluate.benchmark != "laptop":
        raise UserError(
            f"evaluate.benchmark={cfg.evaluate.benchmark} cannot be run yet: SWE-bench Verified needs the evaluation "
            "stage's container backend, which is not written; choose evaluate=laptop"
        )
    isolation.require(cfg.evaluate.sandbox)
    say = functools.partial(_say, cfg.policy)
    problems = load(job.inputs["laptop"] / "benchmark" / "rows.jsonl", cfg.evaluate.splits)
    sources = Sources(job.inputs["laptop"] / "repos")
    answers = _answers(job, problems, sources, open_policy, say)
    executed = _execute(job, answers, sources, say)
    rows = _grade(job, answers, executed)
    write_jsonl(job.out / "outcomes.jsonl", rows)
    return _finish(job, rows, executed)


def _say(policy: str, text: str) -> None:
    print(f"evaluate {policy}: {text}", flush=True)


def _answers(
    job: Job,
    problems: Sequence[Problem],
    sources: Sources,
    open_policy: Callable[[], Policy],
    say: Callable[[str], None],
) -> Answers:
    cfg = job.cfg
    if cfg.policy in GATE:
        return [(problem, [gate_candidate(problem, cfg.policy)]) for problem in problems]
    check_gate(job.inputs, problems)
    tasks = build_tasks(problems, sources, cfg)
    asking = Asking(cfg.model.prompt, cfg.prompt.answer, rules_of(cfg.edits))
    policy = open_policy()
    with closing(policy.sampler):
        found = repair(tasks, policy, cfg.evaluate, asking, seed=cfg.seed, say=say)
    if told := count_faults(candidate.reason for group in found for candidate in group):
        say(f"WARNING: {told} and count as unresolved; snakemake --force asks for them again")
    return [(problem, [*group, *vote(group)]) for problem, group in zip(problems, found, strict=True)]


def _execute(job: Job, answers: Answers, sources: Sources, say: Callable[[str], None]) -> Executed:
    cfg = job.cfg.evaluate
    cache = Cache(job.out.parent.parent / "cache", cfg.sandbox, cfg.test_timeout_s)
    base_too = job.cfg.policy == "none"
    wanted = [(p, c.patch) for p, group in answers for c in group if (c.patch or base_too) and not c.refused]
    with Worker(cfg.sandbox) as worker:
        return execute(wanted, sources, cache, worker, cfg.test_timeout_s, say)


def _grade(job: Job, answers: Answers, executed: Executed) -> list[Row]:
    """Grade every answer; the greedy ones in the official layout, where the logs stay."""
    golds, greedy = [problem.gold for problem, _ in answers], [group[0].patch for _, group in answers]
    official = OfficialRun(job.out / "swebench", job.cfg.policy, golds, greedy)
    rows = []
    with tempfile.TemporaryDirectory(prefix="openswerl-grade-") as scratch:
        for problem, group in answers:
            for candidate in group:
                execution = executed.results.get((problem.gold.instance_id, candidate.patch))
                kept = candidate.decoding == "greedy"
                log = official.log(problem.gold.instance_id) if kept else Path(scratch, "test_output.txt")
                verdict = judge(problem.gold, candidate, execution, log)
                rows.append(outcome_row(problem, candidate, verdict))
                if kept:
                    official.record(problem.gold.instance_id, candidate.patch, execution, verdict)
    official.finish(job.out / "predictions.jsonl")
    return rows


def _finish(job: Job, rows: list[Row], executed: Executed) -> dict[str, Any]:
    cfg = job.cfg
    summary = summarise(rows)
    numbers = metrics(summary)
    write_jsonl(job.out / "metrics.jsonl", [numbers])
    group = f"evaluate-{cfg.policy}-seed{cfg.seed}"
    mirror([numbers], cfg, stage="evaluate", digest=job.digest, group=group, folder=job.out)
    wrong = invalid(rows, cfg.policy) if cfg.policy in GATE else []
    if wrong:
        _say(cfg.policy, f"WARNING: {len(wrong)} invalid instances: {', '.join(wrong)}")
    return {
        "policy": cfg.policy,
        "benchmark": cfg.evaluate.benchmark,
        "sandbox": cfg.evaluate.sandbox,
        "swebench": version("swebench"),
        "executed": executed.run,
        "cached": executed.cached,
        "invalid": wrong,
        "splits": summary,
    }
