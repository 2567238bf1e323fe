"""Issue texts: mostly one true example, not always the file, and never the fix."""

import random

import pytest

from openswerl.laptop.bugs import Bug
from openswerl.laptop.examples import LONGEST, Example, find_example
from openswerl.laptop.functions import Function
from openswerl.laptop.tasks import function_of, make_repair

COUNT = "def count_above(items, limit=2):\n    count = 0\n    for x in items:\n        if x {} limit:\n            count = count + 1\n    return count\n"  # noqa: E501
MEAN = "def mean(items):\n{}    total = sum(items)\n    return total / len(items)\n"
GUARD = "    if items is None:\n        return 0\n"


@pytest.fixture(scope="module")
def tasks():
    rng = random.Random(2)
    return [make_repair(rng) for _ in range(600)]


def value(source, call):
    """What a call gives, by the interpreter alone."""
    scope = {}
    exec(source, scope)
    try:
        return repr(eval(call, scope))
    except Exception as error:
        return f"!{type(error).__name__}"


def test_an_example_of_a_wrong_answer_and_of_a_crash():
    rng = random.Random(0)
    count = find_example(rng, Function("count_above", COUNT.format(">"), "sk", ""), Bug("compare", COUNT.format(">=")))
    assert int(count.wrong) > int(count.right) and count.call.startswith("count_above([")
    assert f"{count.call} gives {count.wrong}, expected {count.right}." in count.text(rng)
    mean = find_example(rng, Function("mean", MEAN.format(GUARD), "sN", ""), Bug("none", MEAN.format("")))
    assert mean == Example("mean(None)", "!TypeError", "0")
    assert "mean(None) raises TypeError, expected 0." in mean.text(rng)


def test_no_example_where_nothing_shows():
    same = Function("count_above", COUNT.format(">"), "sk", "")
    assert find_example(random.Random(0), same, Bug("compare", same.source)) is None


def test_examples_are_true_short_and_in_about_two_issues_of_three(tasks):
    with_example = [task for task in tasks if task.example]
    assert 0.55 < len(with_example) / len(tasks) < 0.75
    for task in with_example:
        path, (name, bug) = next(iter(task.bugs.items()))
        example = task.example
        assert example.call in task.task.problem_statement
        assert value(function_of(task.modules[path], name).source, example.call) == example.right
        assert value(bug.source, example.call) == example.wrong
        assert example.wrong.startswith("!") or eval(example.wrong) != eval(example.right)
        assert len(example.call) <= LONGEST + len(name) + 2


def test_half_of_the_issues_name_the_file_and_some_not_even_the_module(tasks):
    single = [task for task in tasks if len(task.bugs) == 1]
    paths = [next(iter(task.bugs)) for task in single]
    file = [path in task.task.problem_statement for task, path in zip(single, paths, strict=True)]
    stems = [path.partition("/")[2].removesuffix(".py") for path in paths]
    module = [stem in task.task.problem_statement for task, stem in zip(single, stems, strict=True)]
    assert 0.42 < sum(file) / len(single) < 0.58
    assert 0.72 < sum(module) / len(single) < 0.88
    assert all(next(iter(task.bugs.values()))[0] in task.task.problem_statement for task in single)


def test_no_issue_shows_the_fix(tasks):
    for task in tasks:
        for block in task.gold:
            old = {line.strip() for line in block.search.split("\n")}
            new = {line.strip() for line in block.replace.split("\n")} - old
            assert new and not any(line in task.task.problem_statement for line in new)
