"""The evaluate stage: one policy's answers, executed and graded; or the environments alone; or other people's logs."""

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

from openswerl.config import GATE
from openswerl.edits import rules_of
from openswerl.errors import UserError
from openswerl.evaluate.agentless import Agentless, agentless, facts
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.gate import FILE as GATE_FILE
from openswerl.evaluate.gate import check_gate, gate, gate_candidate
from openswerl.evaluate.grading import Answers, Grader
from openswerl.evaluate.harness.official import OfficialRun
from openswerl.evaluate.harness.regrade import regrade
from openswerl.evaluate.opening import open_backend, open_problems, open_sources
from openswerl.evaluate.oracle.context import build_tasks
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy, repair
from openswerl.evaluate.oracle.vote import vote
from openswerl.evaluate.policies import open_policy
from openswerl.evaluate.results.breakdown import breakdown
from openswerl.evaluate.results.outcomes import Row, mark_invalid, metrics, summarise
from openswerl.evaluate.views import Problem
from openswerl.files import write_jsonl
from openswerl.rollout import count_faults
from openswerl.stage import Job

OFFICIAL = {"greedy": "swebench", "mini": "swebench-mini"}  # decodings whose logs are kept, and the folders of these


def run(job: Job) -> dict[str, Any]:
    """Do what `evaluate.mode` says."""
    if job.cfg.evaluate.mode == "gold":
        return check_environments(job)
    if job.cfg.evaluate.mode == "regrade":
        return grade_again(job)
    return evaluate(job, lambda: open_policy(job.cfg, job.inputs))


def evaluate(job: Job, open_policy: Callable[[], Policy]) -> dict[str, Any]:
    """Evaluate one policy, or the gate's gold and none, which do not call `open_policy`.

    Writes outcomes.jsonl, predictions.jsonl, swebench/, and for Agentless Mini mini/ and swebench-mini/.
    """
    say = functools.partial(_say, job.cfg.policy)
    problems, sources = open_problems(job), open_sources(job)
    wrong: set[str] = set()
    if job.cfg.policy not in GATE:
        wrong = check_gate(job.inputs, problems, job.cfg.evaluate.max_invalid)
    with closing(open_backend(job, problems, sources, say)) as backend:
        answers, mini = _answers(job, problems, sources, open_policy, backend, say)
        grader = Grader(backend, say, bare=job.cfg.policy == "none")
        known = facts(problems, sources, mini.shown if mini else {})
        rows = grader.rows(answers, officials := _officials(job, answers), mini.localised(known) if mini else {})
        for decoding, official in officials.items():
            official.finish(
                job.out / ("predictions.jsonl" if decoding == "greedy" else f"{decoding}/predictions.jsonl")
            )
        if job.cfg.policy in GATE:
            wrong = _write_gate(job, gate(problems, backend, job.cfg.evaluate.gate_runs, [job.cfg.policy]))
        else:
            rows = mark_invalid(rows, wrong)
        write_jsonl(job.out / "outcomes.jsonl", rows)
        extra = {"mini": mini.summary(known, grader, wrong)} if mini else {}
        return {**_finish(job, rows, wrong), **extra, "breakdown": breakdown(rows, known), **_counts(backend)}


def _say(policy: str, text: str) -> None:
    print(f"evaluate {policy}: {text}", flush=True)


def _answers(
    job: Job,
    problems: Sequence[Problem],
    sources: Sources,
    open_policy: Callable[[], Policy],
    backend: Cached,
    say: Callable[[str], None],
) -> tuple[Answers, Agentless | None]:
    """Return every instance's candidates, those of Agentless Mini last, and what its steps found."""
    cfg = job.cfg
    if cfg.policy in GATE:
        return [(problem, [gate_candidate(problem, cfg.policy)]) for problem in problems], None
    tasks = build_tasks(problems, sources, cfg)
    asking = Asking(cfg.model.prompt, cfg.prompt.answer, rules_of(cfg.edits))
    policy = open_policy()
    with closing(policy.sampler):
        repos = [problem.task.repo for problem in problems]
        found = repair(tasks, policy, cfg.evaluate, asking, seed=cfg.seed, say=say, repos=repos)
        mini = None
        if sum(cfg.evaluate.mini.splits.values()):
            mini = agentless(job, problems, sources, policy, backend, asking, say)
    _tell_faults([c.reason for group in found for c in group] + (mini.reasons if mini else []), say)
    chosen = mini.answers if mini else {}
    answers = [
        (problem, [*group, *vote(group), *chosen.get(problem.task.instance_id, [])])
        for problem, group in zip(problems, found, strict=True)
    ]
    return answers, mini


def _tell_faults(reasons: Sequence[str | None], say: Callable[[str], None]) -> None:
    if told := count_faults(reasons):
        say(f"WARNING: {told} and are in no rate; snakemake --force asks for them again")


def _officials(job: Job, answers: Answers) -> dict[str, OfficialRun]:
    """Return the official layout of each decoding in OFFICIAL that there is."""
    officials = {}
    for decoding, name in OFFICIAL.items():
        first = [(p.gold, c.patch) for p, group in answers for c in group if c.decoding == decoding]
        if first:
            golds, patches = zip(*first, strict=True)
            officials[decoding] = OfficialRun(job.out / name, job.cfg.policy, golds, patches)
    return officials


def _finish(job: Job, rows: list[Row], wrong: Collection[str]) -> dict[str, Any]:
    cfg = job.cfg
    summary = summarise(rows)
    numbers = metrics(summary)
    write_jsonl(job.out / "metrics.jsonl", [numbers])
    if wrong:
        _say(cfg.policy, f"WARNING: {len(wrong)} instances are not valid here: {', '.join(sorted(wrong))}")
    return {
        "policy": cfg.policy,
        "benchmark": cfg.evaluate.benchmark,
        "backend": cfg.evaluate.backend,
        "sandbox": cfg.evaluate.sandbox,
        "swebench": version("swebench"),
        "invalid": sorted(wrong),
        "splits": summary,
    }


def _counts(backend: Cached) -> dict[str, int]:
    return {"executed": backend.ran, "cached": backend.found}


def check_environments(job: Job) -> dict[str, Any]:
    """Run the gate alone, `gate_runs` times an instance; writes gate.jsonl."""
    say = functools.partial(_say, "gate")
    problems, sources = open_problems(job), open_sources(job)
    with closing(open_backend(job, problems, sources, say)) as backend:
        rows = []
        for row in gate(problems, backend, job.cfg.evaluate.gate_runs):
            rows.append(row)
            say(f"{len(rows)}/{len(problems)} {row['instance_id']}: {row['reason'] or 'valid'}")
        wrong = _write_gate(job, rows)
    reasons = {row["instance_id"]: row["reason"] for row in rows if not row["valid"]}
    kinds = {"benchmark": job.cfg.evaluate.benchmark, "backend": job.cfg.evaluate.backend}
    return {**kinds, "instances": len(rows), "valid": len(rows) - len(wrong), "env_invalid": reasons}


def _write_gate(job: Job, rows: Iterable[dict[str, Any]]) -> set[str]:
    """Write gate.jsonl; returns the ids of the instances that fail."""
    found = list(rows)
    write_jsonl(job.out / GATE_FILE, found)
    return {row["instance_id"] for row in found if not row["valid"]}


def grade_again(job: Job) -> dict[str, Any]:
    """Grade the logs of `evaluate.logs` again. Raises UserError without them."""
    logs = job.cfg.evaluate.logs
    if not logs:
        raise UserError("evaluate.mode=regrade needs evaluate.logs=FILE, logs with published verdicts")
    return regrade(Path(logs), job.out)
