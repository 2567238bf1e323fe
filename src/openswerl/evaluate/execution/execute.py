"""Run the tests of many patches: each distinct one once, in one sandbox for all of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from openswerl.evaluate.execution.cache import Cache
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.execution.trees import PatchError
from openswerl.evaluate.sandbox.worker import Worker
from openswerl.evaluate.views import Problem

SAY_EVERY = 60
Key = tuple[str, str]


@dataclass
class Executed:
    """Executions by (instance id, patch), and how many were run now, taken from the cache, and started sandboxes."""

    results: dict[Key, Execution] = field(default_factory=dict)
    run: int = 0
    cached: int = 0
    sandboxes: int = 0


def execute(
    wanted: Iterable[tuple[Problem, str]],
    sources: Sources,
    cache: Cache,
    worker: Worker,
    timeout_s: int,
    say: Callable[[str], None],
) -> Executed:
    """Run every distinct (instance, patch) that the cache does not hold. The patch "" is the unpatched base."""
    distinct = {(problem.gold.instance_id, patch): (problem, patch) for problem, patch in wanted}
    done = Executed()
    for key, (problem, patch) in distinct.items():
        found = cache.get(problem.gold, patch)
        if found is None:
            found = _run(problem, patch, sources, worker, timeout_s)
            cache.put(problem.gold, patch, found)
            done.run += 1
        else:
            done.cached += 1
        done.results[key] = found
        if len(done.results) % SAY_EVERY == 0 or len(done.results) == len(distinct):
            say(f"executed {len(done.results)}/{len(distinct)} patches ({done.cached} from the cache)")
    done.sandboxes = worker.started
    return done


def _run(problem: Problem, patch: str, sources: Sources, worker: Worker, timeout_s: int) -> Execution:
    try:
        job = sources.job(problem, patch, timeout_s)
    except PatchError as error:
        return Execution("apply_failed", None, str(error))
    answer = worker.run(job)
    return Execution(answer["state"], answer["code"], answer["output"])
