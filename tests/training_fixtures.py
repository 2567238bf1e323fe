"""Fixtures of both ways of training: a config, and instances of the laptop world."""

import random

import pytest

from openswerl.config import Cell
from openswerl.records import Instance, SourceFile
from openswerl.reward.gate import golden_answer

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
    from openswerl.edits import apply
    from openswerl.laptop.tasks import make_repair

    rng, made = random.Random(0), []
    for number in range(30):
        task = make_repair(rng)
        context, new = task.task.context, apply(task.task.context, task.gold)
        changed, related = (
            [SourceFile(p, t) for p, t in context.items() if (p in new) is side] for side in (True, False)
        )
        oracle = [SourceFile(path, text) for path, text in new.items()]
        made.append(Instance(f"t-{number}", "t", "", task.task.problem_statement, changed, related, oracle, ""))
    return made
