"""The evaluate stage: one policy's answers, executed and graded; or the environments alone; or other people's logs."""

import functools
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

from openswerl.answer.executions import Recorded
from openswerl.answer.parts import Parts
from openswerl.errors import UserError
from openswerl.evaluate.agentless import EVIDENCE, Agentless, facts
from openswerl.evaluate.answering import answers_of, say_for
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.gate import FILE as GATE_FILE
from openswerl.evaluate.gate import check_gate, gate
from openswerl.evaluate.grading import Answers, Grader
from openswerl.evaluate.harness.official import OfficialRun
from openswerl.evaluate.harness.regrade import regrade
from openswerl.evaluate.opening import Work, open_backend, open_work
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.policies import open_policy
from openswerl.evaluate.results.breakdown import breakdown
from openswerl.evaluate.results.outcomes import Row, mark_invalid, metrics, summarise
from openswerl.files import write_jsonl
from openswerl.graph import parts_of
from openswerl.stage import Job
from openswerl.stages import GATE

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
    say = functools.partial(say_for, job.cfg.policy)
    work = open_work(job)
    wrong: set[str] = set()
    if job.cfg.policy not in GATE:
        wrong = check_gate(job.inputs, work.problems, job.cfg.evaluate.max_invalid)
    parts = _parts(job, work) if job.cfg.parts > 1 else None
    with closing(_backend(job, work, parts, say)) as backend:
        answers, mini = collected(job, work, parts) if parts else answers_of(job, work, open_policy, backend, say)
        grader = Grader(backend, say, bare=job.cfg.policy == "none")
        known = facts(work.problems, work.sources, mini.shown if mini else {})
        rows = grader.rows(answers, officials := _officials(job, answers), mini.localised(known) if mini else {})
        for decoding, official in officials.items():
            official.finish(
                job.out / ("predictions.jsonl" if decoding == "greedy" else f"{decoding}/predictions.jsonl")
            )
        if job.cfg.policy in GATE:
            wrong = _write_gate(job, gate(work.problems, backend, job.cfg.evaluate.gate_runs, [job.cfg.policy]))
        else:
            rows = mark_invalid(rows, wrong)
        write_jsonl(job.out / "outcomes.jsonl", rows)
        extra = {"mini": mini.summary(known, grader, wrong)} if mini else {}
        counts = parts.counts() if parts else _counts(backend)
        return {**_finish(job, rows, wrong), **extra, "breakdown": breakdown(rows, known), **counts}


def _parts(job: Job, work: Work) -> Parts:
    names = [f"answer-{job.cfg.policy}-seed{job.cfg.seed}-{part}" for part in parts_of(job.cfg.parts)]
    return Parts([job.inputs[name] for name in names], work.problems)


def _backend(job: Job, work: Work, parts: Parts | None, say: Callable[[str], None]) -> Cached:
    """Return what runs the tests and nothing twice, for all policies and seeds; or what the parts' runs came to."""
    if parts:
        recorded = Recorded(job.cfg.evaluate.backend, parts.folders, parts.places)
        return Cached(recorded, Store(job.scratch / "cache"))
    backend = open_backend(job, work.problems, work.sources, say)
    return Cached(backend, Store(job.out.parent.parent / "cache"))


def collected(job: Job, work: Work, parts: Parts) -> tuple[Answers, Agentless | None]:
    """Return what `answers_of` would, of what the parts left behind."""
    if not work.mini:
        return parts.answers, None
    path = parts.evidence([problem.task.instance_id for problem in work.mini], job.out / EVIDENCE)
    return parts.answers, Agentless(work.mini, path, parts.shown, job.cfg.evaluate.mini)


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
        say_for(cfg.policy, f"WARNING: {len(wrong)} instances are not valid here: {', '.join(sorted(wrong))}")
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
    say = functools.partial(say_for, "gate")
    work = open_work(job)
    with closing(_backend(job, work, None, say)) as backend:
        rows = []
        for row in gate(work.problems, backend, job.cfg.evaluate.gate_runs):
            rows.append(row)
            say(f"{len(rows)}/{len(work.problems)} {row['instance_id']}: {row['reason'] or 'valid'}")
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
