from contextlib import closing
from pathlib import Path

import pytest

from openswerl.answer.executions import Recorded, Recording
from openswerl.errors import UserError
from openswerl.evaluate.execution.actions import Action, Grading, Script
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.views import TaskView


class Failing:
    """A backend that loses its machine at first."""

    kind = "failing"

    def __init__(self, *states: str) -> None:
        self.states = list(states)

    def environment(self, task: TaskView) -> str:
        return "e"

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        return Execution(self.states.pop(0), None, patch)

    def close(self) -> None:
        """Nothing is held."""


def test_what_a_killed_part_could_not_run_is_what_the_next_one_ran(world, tmp_path: Path) -> None:
    problem = world.problems()[0]
    task, grading = problem.task, Grading(problem.gold)
    for state in ("infrastructure", "timeout"):
        with closing(Recording(Failing(state, "exited"), Store(tmp_path / state), tmp_path / "part")) as recording:
            recording.run(task, "p", grading)
            recording.run(task, "p", Script("x"))
    with closing(Recorded("failing", [tmp_path / "part"], {task.instance_id: 0})) as recorded:
        assert recorded.run(task, "p", grading) == Execution("timeout", None, "p")
        for patch, action, attempt in (("q", grading, 0), ("p", grading, 1), ("p", Script("x"), 0)):
            with pytest.raises(UserError, match="part lacks an execution of acme__calc-1; delete that folder"):
                recorded.run(task, patch, action, attempt)
