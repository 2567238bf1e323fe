"""The answers of a policy: repair with the oracle files given (Table 2), and Agentless Mini (Table 1)."""

from collections.abc import Callable, Sequence
from contextlib import closing

from openswerl.edits import rules_of
from openswerl.evaluate.agentless import Agentless, agentless
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.gate import gate_candidate
from openswerl.evaluate.grading import Answers
from openswerl.evaluate.opening import Work
from openswerl.evaluate.oracle.context import build_tasks
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy, repair
from openswerl.evaluate.oracle.vote import vote
from openswerl.rollout import count_faults
from openswerl.stage import Job
from openswerl.stages import GATE


def say_for(name: str, text: str) -> None:
    """Tell how far the evaluation of a policy, or of a part of it, has come."""
    print(f"evaluate {name}: {text}", flush=True)


def answers_of(
    job: Job, work: Work, open_policy: Callable[[], Policy], backend: Cached, say: Callable[[str], None]
) -> tuple[Answers, Agentless | None]:
    """Return every instance's candidates, those of Agentless Mini last, and what its steps found.

    The gate's gold and none do not call `open_policy`.
    """
    cfg = job.cfg
    if cfg.policy in GATE:
        return [(problem, [gate_candidate(problem, cfg.policy)]) for problem in work.problems], None
    tasks = build_tasks(work.problems, work.sources, cfg)
    asking = Asking(cfg.model.prompt, cfg.prompt.answer, rules_of(cfg.edits))
    policy = open_policy()
    with closing(policy.sampler):
        repos = [problem.task.repo for problem in work.problems]
        found = repair(tasks, policy, cfg.evaluate, asking, seed=cfg.seed, say=say, repos=repos)
        mini = agentless(job, work, policy, backend, asking, say) if work.mini else None
    _tell_faults([one.reason for group in found for one in group] + (mini.reasons if mini else []), say)
    chosen = mini.answers if mini else {}
    answers = [
        (problem, [*group, *vote(group), *chosen.get(problem.task.instance_id, [])])
        for problem, group in zip(work.problems, found, strict=True)
    ]
    return answers, mini


def _tell_faults(reasons: Sequence[str | None], say: Callable[[str], None]) -> None:
    if told := count_faults(reasons):
        say(f"WARNING: {told} and are in no rate; snakemake --force asks for them again")
