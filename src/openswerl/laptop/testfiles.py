"""The generated repositories' own tests, in pytest form."""

import random
from dataclasses import dataclass

from openswerl.laptop.functions import Function, behaviour, same, sample_inputs
from openswerl.laptop.modules import Module

VISIBLE_CALLS = 2


@dataclass(frozen=True)
class Checks:
    """One test function: the function under test, and the calls with their right results."""

    test: str
    function: str
    calls: list[list]
    expected: list[str]

    @property
    def text(self) -> str:
        """The test's source."""
        lines = [f"def {self.test}():"]
        for call, result in zip(self.calls, self.expected, strict=True):
            lines.append(f"    assert {self.function}({', '.join(map(repr, call))}) == {result}")
        return "\n".join(lines) + "\n"

    def passes(self, source: str) -> bool:
        """Whether the given source of the function passes."""
        return same(behaviour(source, self.function, self.calls), self.expected)


@dataclass(frozen=True)
class CheckFile:
    """A test file at `path`: the checks of functions of the module at `module`."""

    path: str
    module: str
    checks: tuple[Checks, ...]

    @property
    def text(self) -> str:
        """The file's text."""
        names = ", ".join(dict.fromkeys(check.function for check in self.checks))
        imported = f"from {self.module.removesuffix('.py').replace('/', '.')} import {names}\n"
        return imported + "".join(f"\n\n{check.text}" for check in self.checks)


def write_checks(rng: random.Random, function: Function, test: str, kept: slice = slice(None)) -> Checks:
    """Return checks of a correct function: `kept` of the calls that do not raise, special cases last."""
    calls = sample_inputs(rng, function.signature)
    results = behaviour(function.source, function.name, calls)
    known = [(call, result) for call, result in zip(calls, results, strict=True) if not result.startswith("!")][kept]
    return Checks(test, function.name, [call for call, _ in known], [result for _, result in known])


def visible_tests(rng: random.Random, module: Module) -> CheckFile:
    """Return the tests that a module has from the start: two of each function, of two calls each."""
    ordinary, special = slice(VISIBLE_CALLS), slice(-VISIBLE_CALLS, None)
    checks = [
        write_checks(rng, function, f"test_{function.name}{ending}", kept)
        for function in module.functions
        for ending, kept in (("", ordinary), ("_again", special))
    ]
    return CheckFile(test_path(module.path), module.path, tuple(checks))


def test_path(module: str, number: int | None = None) -> str:
    """Return where the tests of the module at a path live; those of a numbered fix have a file of their own."""
    name = module.rpartition("/")[2].removesuffix(".py")
    return f"tests/test_{name}.py" if number is None else f"tests/test_{name}_{number}.py"
