"""Localisation and reproduction as they are taught: the answers are right, read as evaluation reads them."""

import random
import re
import subprocess
import sys

import pytest

from openswerl.edits import FormatError, parse
from openswerl.laptop.repository import MODULES
from openswerl.laptop.steps import FAULTS, localisation, make_localisation, make_reproduction, reproduction, spoil
from openswerl.laptop.tasks import function_of, make_repair
from openswerl.models.step_prompts import REPRODUCED, RESOLVED


def named(answer):
    return re.findall(r"^### (\S+)$", parse(answer).solution, re.MULTILINE)


def program(answer):
    return re.fullmatch(r"\s*```python\n(.*)\n```\s*", parse(answer).solution, re.DOTALL)[1]


def printed(folder, modules, text):
    """Run a program beside the modules in a fresh interpreter; returns what it prints."""
    for module in modules:
        path = folder / module.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module.content)
        path.with_name("__init__.py").touch()
    done = subprocess.run([sys.executable, "-S", "-c", text], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip()


def test_localisation_names_the_broken_files_of_the_tree():
    rng = random.Random(0)
    guessed = whole = 0
    for _ in range(200):
        task = make_repair(rng)
        step = localisation(rng, task)
        listed = step.prompt.removesuffix("\nFiles:\n").split("\n")[3:]
        sources = [path for path in listed if path.startswith(f"{task.package}/")]
        found = named(step.answer)
        assert len(listed) == len(set(listed)) and len(sources) == MODULES + 1
        assert set(task.bugs) <= set(found) <= set(sources)
        whole += "README.md" in listed
        if len(found) > len(task.bugs):
            guessed += 1
            assert not any(path in task.task.problem_statement for path in task.bugs)
    assert 0 < guessed < 60
    assert 80 < whole < 160


def test_reproduction_tells_the_bug_from_the_fix(tmp_path):
    rng = random.Random(1)
    for number in range(25):
        task = make_repair(rng)
        if (step := reproduction(rng, task)) is None:
            continue
        text = program(step.answer)
        before = printed(tmp_path / f"{number}b", task.modules.values(), text)
        path, (name, _) = next(iter(task.bugs.items()))
        mended = task.modules[path].with_text(name, function_of(task.modules[path], name).source)
        after = printed(tmp_path / f"{number}a", ({**task.modules, path: mended}).values(), text)
        assert (before, after) == (REPRODUCED, RESOLVED)
        if task.example:
            assert task.example.call in text


def test_prompts_end_with_their_own_question():
    rng = random.Random(2)
    assert make_localisation(rng).prompt.endswith("\nFiles:\n")
    prompts = [make_reproduction(rng).prompt for _ in range(200)]
    assert all(prompt.endswith("Test:\n") for prompt in prompts)
    assert 170 < sum("### tests/test_" in prompt for prompt in prompts) < 200


@pytest.mark.parametrize("make", [make_localisation, make_reproduction])
def test_every_fault_spoils_form_or_substance(make):
    step = make(random.Random(3))
    for fault in FAULTS:
        answer = fault(step.answer)
        assert answer != step.answer
        try:
            solution = parse(answer).solution
        except FormatError:
            continue
        readable = "```python" in solution or re.search(r"^### \w+/", solution, re.MULTILINE)
        assert not readable or not re.search(r"from \w+\.\w+ import", solution)
    assert spoil(step, random.Random(4)) != step.answer
