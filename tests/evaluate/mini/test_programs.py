from typing import Any

import pytest

from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.programs import Program, Writer, read_program
from openswerl.evaluate.mini.sampling import chunks, packed
from openswerl.evaluate.oracle.repair import Policy
from openswerl.rollout import Completion

PROGRAM = "print('Issue reproduced')\n"


def _read(solution: str, **settings: Any) -> Program:
    text = f"<think>\nx\n</think>\n<solution>\n{solution}\n</solution>"
    return read_program("i", 3, Completion(text, [], settings.pop("finished", True), **settings))


@pytest.mark.parametrize(
    ("solution", "source"),
    [
        (f"```python\n{PROGRAM}```", PROGRAM),
        (f"Here:\n```\n{PROGRAM}```\nthere", PROGRAM),
        (PROGRAM, PROGRAM),
        ("```python\nif 1:\n    x = 1\n\n    y = 2\n```", "if 1:\n    x = 1\n\n    y = 2\n"),
    ],
)
def test_a_program_is_what_the_fence_holds(solution: str, source: str) -> None:
    assert _read(solution) == Program("i", 3, source)


@pytest.mark.parametrize(
    ("solution", "settings", "reason"),
    [
        ("```python\n```", {}, "no_program"),
        ("```python\ndef broken(:\n```", {}, "syntax_error"),
        ("x = '\0'", {}, "syntax_error"),
        (PROGRAM, {"finished": False}, "unfinished"),
        (PROGRAM, {"finished": False, "fault": "rate_limit"}, "rate_limit"),
        ("</solution>", {}, "duplicate_tag"),
    ],
)
def test_what_is_no_program_has_a_reason(solution: str, settings: Any, reason: str) -> None:
    assert _read(solution, **settings) == Program("i", 3, None, reason)


def _write(world: Any, sampler: Any, samples: int = 2) -> list[Program]:
    tasks = [problem.task for problem in world.problems()]
    with Bases(world.sources()) as bases:
        modules = {task.instance_id: ["calc/core.py"] if "calc" in task.repo else [] for task in tasks}
        writer = Writer(bases, Policy(sampler, sampler.fits), "compact", 0, 0.7, modules)
        return [row for pack in packed(chunks(tasks, samples), 1000) for row in writer.rows(pack)]


def test_one_test_file_of_the_base_is_the_example(world: Any, scripted: Any) -> None:
    sampler = scripted(lambda step, prompt, number: "x")
    rows = _write(world, sampler)
    assert [(row.instance_id, row.sample, row.reason) for row in rows[:3]] == [
        ("acme__calc-1", 0, "missing_tag"), ("acme__calc-1", 1, "missing_tag"), ("acme__words-2", 0, "missing_tag"),
    ]  # fmt: skip
    assert "### tests/test_core.py\nfrom calc.core import name\n" in sampler.prompts[0]
    assert "###" not in sampler.prompts[1], "that repository has no test"
    assert sampler.calls == [("program", 6, 0.7)]


def test_an_example_that_does_not_fit_is_left_out(world: Any, scripted: Any) -> None:
    sampler = scripted(lambda step, prompt, number: "x", 20)
    _write(world, sampler)
    assert len(sampler.prompts) == 3 and "###" not in "".join(sampler.prompts)
    tiny = scripted(lambda step, prompt, number: "x", 2)
    assert {row.reason for row in _write(world, tiny)} == {"prompt_too_long"} and tiny.calls == []
