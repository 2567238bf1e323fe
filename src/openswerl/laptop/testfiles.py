"""The generated repositories' own tests, in pytest form."""

import random
from dataclasses import dataclass

from openswerl.laptop.functions import Function, behaviour, sample_inputs
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
        return behaviour(source, self.function, self.calls) == self.expected


def write_checks(rng: random.Random, function: Function, test: str, most: int | None = None) -> Checks:
    """Return checks of a correct function; calls that raise are left out."""
    calls = sample_inputs(rng, function.signature)
    results = behaviour(function.source, function.name, calls)
    kept = [(call, result) for call, result in zip(calls, results, strict=True) if not result.startswith("!")]
    kept = kept[:most] if most else kept
    return Checks(test, function.name, [call for call, _ in kept], [result for _, result in kept])


def test_path(module: Module) -> str:
    """Return where a module's tests live."""
    return f"tests/test_{module.path.rpartition('/')[2]}"


def test_file(module: Module, checks: list[Checks]) -> str:
    """Return the text of a test file."""
    names = ", ".join(dict.fromkeys(check.function for check in checks))
    imported = f"from {module.path.removesuffix('.py').replace('/', '.')} import {names}\n"
    return imported + "".join(f"\n\n{check.text}" for check in checks)
