"""Gold patches of a generated laptop benchmark, run and graded by two workers: python bench/evaluate_laptop.py.

Last line JSON: `instances_per_minute` of both workers together, without their start; `rss_mb` of a worker after its
first round over its instances and after its last: memory is flat if they are alike.
"""

import json
import multiprocessing
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from openswerl.config import Cell
from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.actions import Grading
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.harness.grade import grade
from openswerl.evaluate.views import Problem, load
from openswerl.laptop.run import run
from openswerl.stage import Job

WORKERS, ROUNDS = 2, 6
WORLD = "data.world={repositories: 1, gate_repositories: 4, template_repositories: 1, fixes_per_heldout_repository: 8}"
GATE = 24


class Work(NamedTuple):
    """What one worker did: instances and seconds, and its memory in MB after each round."""

    instances: int
    seconds: float
    rss_mb: list[float]


def work(world: Path, number: int) -> Work:
    problems = load(world / "benchmark" / "rows.jsonl", {"gate": GATE})[number::WORKERS]
    with closing(LaptopBackend(Sources(world / "repos"), "bubblewrap", 30)) as backend:
        resolve(backend, problems[0], world / f"{number}.txt")  # starts the sandbox and imports the harness
        start, rss = time.perf_counter(), []
        for _ in range(ROUNDS):
            for problem in problems:
                resolve(backend, problem, world / f"{number}.txt")
            rss.append(round(psutil.Process().memory_info().rss / 2**20, 1))
        return Work(ROUNDS * len(problems), time.perf_counter() - start, rss)


def resolve(backend: LaptopBackend, problem: Problem, log: Path) -> None:
    execution = backend.run(problem.task, problem.gold.patch, Grading(problem.gold))
    status = grade(problem.gold, problem.gold.patch, execution, log).status
    if status != "resolved":
        raise SystemExit(f"{problem.task.instance_id} is {status}, so the figure would mean nothing")


def measure(folder: Path) -> dict[str, Any]:
    run(Job(Cell("laptop", ("scale=smoke", WORLD)).view(), folder, {}, "bench"))
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        found = pool.starmap(work, [(folder, number) for number in range(WORKERS)])
    rate = sum(one.instances / one.seconds for one in found) * 60
    return {"instances_per_minute": round(rate), "rss_mb": [[one.rss_mb[0], one.rss_mb[-1]] for one in found]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="openswerl-bench-") as name:
        print(json.dumps(measure(Path(name))))
