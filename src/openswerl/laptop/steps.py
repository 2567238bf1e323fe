"""The other steps of Agentless Mini as the base model learns them: name the files, write a reproduction test."""

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from openswerl.evaluate.mini.tree import Look, draw_look, print_tree
from openswerl.laptop import vocabulary as words
from openswerl.laptop.examples import Example, showing
from openswerl.laptop.repository import MODULES, WRAPPERS
from openswerl.laptop.tasks import DOUBLE, BugTask, function_of, make_repair
from openswerl.laptop.testfiles import CheckFile, Checks, test_path, visible_tests, write_checks
from openswerl.models.prompts import Prompt
from openswerl.models.step_prompts import REPRODUCED, RESOLVED, localise_prompt, reproduction_prompt
from openswerl.records import SourceFile

GUESSES = 2
WHOLE, SHUFFLED = 0.6, 0.7  # some askers show sources alone, and a greedy one shows them in order
USUAL = ["LICENSE", "README.md", "poetry.lock", "pyproject.toml"]
UNRELATED, BROUGHT, NO_EXAMPLE = 0.15, 0.12, 0.05
PROGRAM = f"""\
from {{module}} import {{function}}
try:
    right = {{call}} == {{right}}
except Exception:
    right = False
print("{RESOLVED}" if right else "{REPRODUCED}")"""


class Step(NamedTuple):
    """A question, the right answer in the right form, and the package that it is about."""

    prompt: Prompt
    answer: str
    package: str


def make_localisation(rng: random.Random, double: float = DOUBLE) -> Step:
    """Return a random question which files to edit; `double` as for `make_repair`."""
    return localisation(rng, make_repair(rng, double=double))


def make_reproduction(rng: random.Random, double: float = DOUBLE) -> Step:
    """Return a random question for a reproduction test; `double` as for `make_repair`."""
    return reproduction(rng, make_repair(rng, double=double)) or make_reproduction(rng, double)


def localisation(rng: random.Random, task: BugTask) -> Step:
    """Return the question which files to edit, over the tree of a repository as large as the world's.

    The right answer names the broken files; where the issue names neither file nor module, a guess beside them.
    """
    others = [f"{task.package}/{name}.py" for name in rng.sample(words.MODULES, len(words.MODULES))]
    modules = [*task.modules, *(path for path in others if path not in task.modules)][:MODULES]
    look = draw_look(rng.getrandbits(32)) if rng.random() < SHUFFLED else Look()
    files = [f"{task.package}/__init__.py", *modules, *(_other_files(rng, modules) if rng.random() < WHOLE else [])]
    tree = print_tree(files, look, "compact")
    named = list(task.bugs)
    if not any(re.search(rf"\b{_stem(path)}\b", task.task.problem_statement) for path in named):
        named = rng.sample([*named, *rng.sample(modules, GUESSES - 1)], GUESSES)
        named = list(dict.fromkeys(named))
    lines = "\n".join(f"### {path}" for path in named)
    prompt = localise_prompt(task.task.problem_statement, tree, look.most, "compact")
    return Step(prompt, _tagged("; ".join(f"edit {path}" for path in named), lines), task.package)


def _other_files(rng: random.Random, modules: list[str]) -> list[str]:
    """Return what else a repository of the world holds: tests of modules and of earlier fixes, and the usual files."""
    tested = modules[: MODULES - WRAPPERS]
    fixed = [(rng.choice(tested), rng.randint(100, 999)) for _ in range(rng.randint(0, 18))]
    return [*USUAL, *map(test_path, tested), *dict.fromkeys(test_path(path, number) for path, number in fixed)]


def reproduction(rng: random.Random, task: BugTask) -> Step | None:
    """Return the question for a reproduction test, mostly with the tests of the broken module as the example.

    The program makes the call that the issue gives; without one, a call of the shown tests that fails, or any other;
    None if no call that was tried shows the bug.
    """
    path, (name, _) = next(iter(task.bugs.items()))
    shown = _shown(rng, task)
    example = task.example or _revealed(rng, task, shown)
    if example is None:
        return None
    program = PROGRAM.format(module=_dotted(path), function=name, call=example.call, right=example.right)
    file = SourceFile(shown.path, shown.text) if shown else None
    prompt = reproduction_prompt(task.task.problem_statement, file, "compact")
    return Step(prompt, _tagged(f"{name} in {path}", f"```python\n{program}\n```"), task.package)


def _shown(rng: random.Random, task: BugTask) -> CheckFile | None:
    """Draw the test file that is shown: of the broken module or another, or of an earlier fix; rarely none."""
    path = next(iter(task.bugs))
    tested = [module for module in task.modules.values() if module.functions]
    module = rng.choice(tested) if rng.random() < UNRELATED else task.modules[path]
    draw = rng.random()
    if draw < NO_EXAMPLE:
        return None
    if draw < NO_EXAMPLE + BROUGHT:
        number = rng.randint(100, 999)
        function = rng.choice(module.functions)
        check = write_checks(rng, function, f"test_{function.name}_{number}")
        return CheckFile(test_path(module.path, number), module.path, (check,))
    return visible_tests(rng, module)


def _revealed(rng: random.Random, task: BugTask, shown: CheckFile | None) -> Example | None:
    path, (name, bug) = next(iter(task.bugs.items()))
    checks = [check for check in shown.checks if check.function == name] if shown else []
    failing = [example for check in checks for example in _failures(check, bug.source)]
    found = failing or sorted(showing(rng, function_of(task.modules[path], name), bug), key=lambda one: len(one.call))
    return found[0] if found else None


def _failures(check: Checks, source: str) -> list[Example]:
    """Return the calls of a check that fail on a source."""
    single = [Checks(check.test, check.function, [c], [e]) for c, e in zip(check.calls, check.expected, strict=True)]
    return [
        Example(f"{one.function}({', '.join(map(repr, one.calls[0]))})", "", one.expected[0])
        for one in single
        if not one.passes(source)
    ]


def _tagged(thought: str, solution: str) -> str:
    return f"<think>\n{thought}\n</think>\n<solution>\n{solution}\n</solution>"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def spoil(step: Step, rng: random.Random) -> str:
    """Return the step's answer with a fault of form or of substance."""
    return rng.choice(FAULTS)(step.answer)


def _no_tags(answer: str) -> str:
    return re.sub(r"</?(think|solution)>\n?", "", answer)


def _no_close(answer: str) -> str:
    return answer.replace("\n</solution>", "")


def _no_marks(answer: str) -> str:
    return answer.replace("### ", "").replace("```python\n", "").replace("\n```", "")


def _no_folder(answer: str) -> str:
    """Name files and modules as if the package were not there."""
    return re.sub(r"(### |from )\w+[/.]", r"\1", answer)


def _nothing_said(answer: str) -> str:
    return re.sub(r"<solution>\n.*\n</solution>", "<solution>\n</solution>", answer, flags=re.DOTALL)


FAULTS: list[Callable[[str], str]] = [_no_tags, _no_close, _no_marks, _no_folder, _nothing_said]
