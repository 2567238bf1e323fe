from typing import Any

from omegaconf import OmegaConf

from openswerl.config import Cell
from openswerl.evaluate.oracle.context import build_tasks


def _build(world: Any, related: int) -> Any:
    cfg = Cell("evaluate", (f"evaluate.related_files={related}", "evaluate.splits={gate: 2, templates: 1}")).view()
    assert OmegaConf.is_readonly(cfg)
    return build_tasks(world.problems(), world.sources(), cfg)


def test_oracle_and_related_files_are_shown_at_the_base(world: Any) -> None:
    tasks = _build(world, 1)
    assert set(tasks[0][0].context) == {"calc/core.py", "calc/user.py"}, "the module that imports the oracle file"
    assert "a - b" in tasks[0][0].context["calc/core.py"]
    assert tasks[0][0].problem_statement == "add(2, 2) gives 0" and tasks[0][0].instance_id == "acme__calc-1"


def test_the_last_choice_is_the_oracle_files_alone(world: Any) -> None:
    for group in (_build(world, 1)[0], _build(world, 0)[0]):
        assert set(group[-1].context) == {"calc/core.py"}
    assert [len(group) for group in _build(world, 0)] == [1, 1, 1]


def test_no_task_holds_gold(canary_world: Any) -> None:
    tasks = [task for group in _build(canary_world, 3) for task in group]
    texts = [repr(task) for task in tasks]
    assert len(texts) > 3 and not [text for text in texts if "CANARY" in text or "test_" in text]
