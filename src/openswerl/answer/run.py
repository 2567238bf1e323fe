"""The answer stage: a policy's answers to a part of the benchmark, asked and executed, for `evaluate` to count."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

from openswerl.answer.executions import Recording
from openswerl.answer.parts import ANSWERS, share, write_answers
from openswerl.evaluate.answering import answers_of, say_for
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.gate import check_gate, gate
from openswerl.evaluate.grading import Grader
from openswerl.evaluate.opening import Work, open_backend, open_work
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.policies import open_policy
from openswerl.stage import Job
from openswerl.stages import GATE


def run(job: Job) -> dict[str, Any]:
    """Answer one part of the benchmark under one policy."""
    return answer(job, lambda: open_policy(job.cfg, job.inputs))


def answer(job: Job, open_policy: Callable[[], Policy]) -> dict[str, Any]:
    """Do for one part all that asks the policy or runs tests, as the evaluation does without parts.

    Writes answers.jsonl, executions.sqlite, and for Agentless Mini mini/evidence.jsonl.
    """
    cfg, say = job.cfg, partial(say_for, f"{job.cfg.policy}, {job.cfg.part}")
    whole = open_work(job)
    if cfg.policy not in GATE:
        check_gate(job.inputs, whole.problems, cfg.evaluate.max_invalid)
    work = part_of(whole, cfg.part)
    backend = open_backend(job, work.problems, work.sources, say)
    with closing(Recording(backend, Store(job.scratch / "cache"), job.out)) as recording:
        answers, mini = answers_of(job, work, open_policy, recording, say)
        grader = Grader(recording, say, bare=cfg.policy == "none")
        grader.rows(answers, {}, {})
        if mini:
            mini.verdicts(grader)
        if cfg.policy in GATE:
            list(gate(work.problems, recording, cfg.evaluate.gate_runs, [cfg.policy]))
        write_answers(job.out / ANSWERS, answers, mini)
        return {"policy": cfg.policy, "instances": len(answers), "executed": recording.ran, "cached": recording.found}


def part_of(work: Work, part: str) -> Work:
    """Return a part of the instances; which of them Agentless Mini works on is a matter of the whole."""
    problems = share(work.problems, part)
    names = {problem.task.instance_id for problem in problems}
    return Work(problems, [problem for problem in work.mini if problem.task.instance_id in names], work.sources)
