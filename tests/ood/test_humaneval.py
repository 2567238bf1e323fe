import pytest

from openswerl.ood.execution import Sandboxes
from openswerl.ood.suite import NoAnswer
from openswerl.ood.suites import SUITES

ROW = {
    "task_id": "T/0",
    "prompt": 'from typing import List\n\n\ndef halves(xs: List[int]) -> List[float]:\n    """Return the halves."""\n',
    "entry_point": "halves",
    "canonical_solution": "    return [x / 2 for x in xs]\n",
    "base_input": [[[2, 4]], [[3]]],
    "plus_input": [[[]], [[-1, 0]]],
    "atol": 0,
}
HUB = {key: ROW[key] for key in ("task_id", "prompt", "entry_point", "canonical_solution")} | {
    "test": "def check(candidate):\n    assert candidate([2, 4]) == [1, 2]\n    assert candidate([]) == []\n"
}
FIND_ZERO = {
    "task_id": "T/32",
    "prompt": "def poly(xs, x):\n    return sum(c * x**i for i, c in enumerate(xs))\n\n\ndef find_zero(xs):\n",
    "entry_point": "find_zero",
    "canonical_solution": "    return -xs[0] / xs[1]\n",
    "base_input": [[[4, -4, 1]]],  # (x - 2)^2, of which the canonical solution here finds no root
    "plus_input": [],
    "atol": 0.0001,
}


def fence(source: str) -> str:
    return f"<think>\nhm\n</think>\n<solution>\n```python\n{source}```\n</solution>"


def defining(body: str) -> str:
    return fence(f"def halves(xs: List[int]):\n    {body}\n")


@pytest.mark.parametrize("row", [ROW, HUB], ids=["inputs", "check"])
@pytest.mark.parametrize(
    ("output", "status"),
    [
        (defining("return [x / 2 for x in xs]"), "correct"),
        ("    return [x * 0.5 for x in xs]", "correct"),
        (defining("return [x // 2 for x in xs] or None"), "wrong"),
        (defining("raise SystemExit(0)"), "wrong"),
        (defining("import os; os._exit(0)"), "wrong"),
        (fence("import sys\ndef halves(xs): return xs\nsys.exit(0)\n"), "wrong"),
        (fence("from __future__ import annotations\ndef halves(xs: No):\n    return [x / 2 for x in xs]\n"), "correct"),
        (
            fence("def halves(xs):\n    return [x / 2 for x in xs]\nif __name__ == '__main__':\n    1 / 0\n"),
            "correct",
        ),
    ],
)
def test_answers_get_their_verdict(judge, row, output, status):
    assert judge("humaneval", row, output).status == status


def test_a_failure_says_whose_tests_fail(judge):
    assert judge("humaneval", ROW, defining("return [1]")).reason == "BaseTestFailed"
    assert judge("humaneval", ROW, defining("return [x / 2 for x in xs] or [0]")).reason == "PlusTestFailed"


def test_floats_are_compared_with_a_tolerance_and_types_are_not(judge):
    assert judge("humaneval", ROW, defining("return [x / 2 + 1e-8 for x in xs]")).status == "correct"
    assert judge("humaneval", ROW, defining("return [x / 2 + 1e-4 for x in xs]")).status == "wrong"
    assert judge("humaneval", ROW, defining("return tuple(x / 2 for x in xs)")).status == "wrong"
    whole = {**ROW, "canonical_solution": "    return [x for x in xs]\n"}
    assert judge("humaneval", whole, defining("return [x + 1e-9 for x in xs]")).status == "wrong"


def test_any_root_is_a_right_zero(judge):
    def answer(root: str) -> str:
        return fence(f"def find_zero(xs):\n    return {root}\n")

    assert judge("humaneval", FIND_ZERO, answer("2.0")).status == "correct"
    assert judge("humaneval", FIND_ZERO, answer("1.0")).status == "wrong"


def test_an_answer_that_does_not_end_is_a_time_out():
    suite = SUITES["humaneval"]
    item = suite.item(ROW)
    with Sandboxes("bubblewrap", 1) as impatient:
        impatient.open(None)
        verdict = impatient.run(suite.judge(item, suite.answer(item, defining("while True: pass"))), None)
    assert verdict == ("timeout", "time_limit")


def test_a_broken_row_says_nothing_about_the_answer(judge):
    broken = {**ROW, "canonical_solution": "    return nothing\n"}
    assert judge("humaneval", broken, defining("return 1")) == ("error", "infrastructure")


def test_an_answer_cannot_pass_for_a_broken_row(judge):
    sly = fence("class BadTask(Exception): pass\ndef halves(xs): pass\nraise BadTask('infrastructure')\n")
    assert judge("humaneval", ROW, sly).status == "wrong"


def test_no_function_is_no_answer_and_a_row_without_tests_is_none():
    item = SUITES["humaneval"].item(ROW)
    with pytest.raises(NoAnswer, match="no_function"):
        SUITES["humaneval"].answer(item, "I cannot do that.")
    with pytest.raises(KeyError):
        SUITES["humaneval"].item({key: ROW[key] for key in ("task_id", "prompt", "entry_point", "canonical_solution")})
    with pytest.raises(TypeError):
        SUITES["humaneval"].item({**ROW, "plus_input": "none"})
