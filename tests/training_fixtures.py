"""Fixtures of both ways of training: a config, and instances of the laptop world."""

import random
from pathlib import Path

import pytest

from openswerl.config import Cell
from openswerl.records import Instance, SourceFile
from openswerl.reward.gate import golden_answer
from openswerl.stage import Job

OLD, NEW = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1\n"
SMALL = ("grpo.prompts_per_step=3", "grpo.group_size=4", "grpo.steps=2", "tracking.wandb=disabled")


@pytest.fixture(scope="session")
def config():
    """The grpo stage's view of conf/ under overrides, at a size for tests."""
    return lambda *overrides: Cell("grpo", (*SMALL, *overrides)).view()


@pytest.fixture
def instance():
    return Instance("o__r-1", "o/r", "abc", "f is wrong", [SourceFile("m.py", OLD)], [], [SourceFile("m.py", NEW)], "")


@pytest.fixture
def good(instance):
    return golden_answer(instance, "search_replace")


@pytest.fixture(scope="session")
def tasks():
    """Thirty repair tasks of the laptop world as instances."""
    return repair_instances(30)


def repair_instances(count: int) -> list[Instance]:
    """Return repair tasks of the laptop world as instances."""
    from openswerl.edits import apply
    from openswerl.laptop.tasks import make_repair

    rng, made = random.Random(0), []
    for number in range(count):
        task = make_repair(rng)
        context, new = task.task.context, apply(task.task.context, task.gold)
        changed, related = (
            [SourceFile(p, t) for p, t in context.items() if (p in new) is side] for side in (True, False)
        )
        oracle = [SourceFile(path, text) for path, text in new.items()]
        made.append(Instance(f"t-{number}", "t", "", task.task.problem_statement, changed, related, oracle, ""))
    return made


def job_of(stage: str, folder: Path, *overrides: str, **inputs: Path) -> Job:
    """Return the job of a cell whose output is `folder`."""
    cell = Cell(stage, overrides)
    return Job(cell.view(), folder, inputs, cell.digest, cell=cell)
