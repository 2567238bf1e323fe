"""Bugs must be real, symptoms must not give the fix away, and the untidy comment must be the only extra."""

import random

import pytest

from openswerl.laptop.bugs import SYMPTOMS, find_bugs, symptom, untidy
from openswerl.laptop.functions import behaviour, is_held_out, same, sample_inputs, write_function
from openswerl.laptop.tasks import pick_bug
from openswerl.laptop.templates import HELD, TRAIN


@pytest.mark.parametrize("template", TRAIN + HELD, ids=lambda template: template.name)
def test_every_template_runs_and_has_an_observable_bug(template):
    rng = random.Random(template.name)
    function = write_function(rng, template, held=False)
    calls = sample_inputs(rng, function.signature)
    results = behaviour(function.source, function.name, calls)
    assert sum(not result.startswith("!") for result in results) >= 8
    bugs = [bug for bug in (pick_bug(rng, function) for _ in range(20)) if bug is not None]
    assert any(behaviour(bug.source, function.name, calls) != results for bug in bugs)


def test_every_kind_of_symptom_occurs():
    rng = random.Random(0)
    kinds = set()
    for template in TRAIN + HELD:
        source = write_function(rng, template, held=False).source
        found = find_bugs(source, rng)
        kinds |= {bug.kind for bug in found}
        assert all("{" not in symptom(bug, rng) and bug.source != source for bug in found)
    assert kinds == set(SYMPTOMS)


def test_known_mutations():
    lines = ["def f(items, limit=4):", "    for x in items:", "        if x < limit:", "            return True"]
    source = "\n".join([*lines, "    return False", ""])
    bugs = {(bug.kind, bug.source) for bug in find_bugs(source, random.Random(1))}
    assert ("compare", source.replace("x < limit", "x <= limit")) in bugs
    assert ("boolean", source.replace("return True", "return False")) in bugs
    assert any(kind == "default" and "limit=4" not in text for kind, text in bugs)


def test_behaviours_are_compared_as_python_does():
    assert same(["0", "[1]", "!TypeError"], ["-0.0", "[1.0]", "!TypeError"])
    assert not same(["'0'"], ["0"])
    assert not same(["!TypeError"], ["!IndexError"])
    assert not same(["!TypeError"], ["0"])


def test_untidy_marks_the_first_changed_line():
    old, new = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1\n"
    assert untidy(old, new, 123) == "def f(a):\n    return a + 1  # gh-123\n"
    assert untidy(old, new.replace("+ 1", "+ 1  # gh-100"), 123) == "def f(a):\n    return a + 1  # gh-123\n"


def test_function_names_keep_to_their_side():
    rng = random.Random(0)
    for held in (False, True):
        assert all(is_held_out(write_function(rng, TRAIN[0], held=held).name) == held for _ in range(200))
