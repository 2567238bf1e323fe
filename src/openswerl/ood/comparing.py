"""Runs inside the sandbox: a function against the canonical one, on the same inputs. Standard library only."""

import copy
import json
import math


class BaseTestFailed(AssertionError):
    """A test of the original benchmark fails."""


class PlusTestFailed(AssertionError):
    """The tests of the original benchmark pass, and one that HumanEval+ adds fails."""


class Task:
    """A row as JSON, and what its canonical solution gives for each input. Raises what that raises."""

    def __init__(self, packed: str) -> None:
        self.row = json.loads(packed)
        right = function(self.row["entry_point"], self.row["prompt"] + self.row["canonical_solution"])
        cases = {key: self.row[key] for key in ("base_input", "plus_input")}
        self.wanted = {key: [right(*copy.deepcopy(one)) for one in group] for key, group in cases.items()}

    def compare(self, head: str, answer: str) -> None:
        """Compare all outputs. Raises BaseTestFailed or PlusTestFailed, and what the answer raises on its way in."""
        name, atol = self.row["entry_point"], self.row["atol"]
        own = function(name, head, answer)
        for key, failure in (("base_input", BaseTestFailed), ("plus_input", PlusTestFailed)):
            for number, (case, wanted) in enumerate(zip(self.row[key], self.wanted[key], strict=True)):
                if not passes(name, own, case, wanted, atol):
                    raise failure(f"test {number}")


def function(name: str, *sources: str):
    """Return a function that sources define, one after another in one module."""
    scope: dict = {"__name__": "answer"}
    for source in sources:
        exec(compile(source, "answer.py", "exec"), scope)
    return scope[name]


def passes(name: str, own, case: list, wanted, atol: float) -> bool:
    """Whether a function gives the wanted output for one case; an error is a failure."""
    try:
        found = own(*copy.deepcopy(case))
        if name == "find_zero":  # any root of the polynomial will do
            return abs(sum(factor * found**power for power, factor in enumerate(case[0]))) <= atol
        return same(found, wanted, atol)
    except Exception:
        return False


def same(found, wanted, atol: float) -> bool:
    """Whether outputs are equal; floats within a relative 1e-7 and `atol`, which is 1e-6 where the row has none."""
    if found == wanted:
        return True
    if not atol and not is_floats(wanted):
        return False
    return close(found, wanted, atol or 1e-6)


def is_floats(value) -> bool:
    """Whether a value is a float or a sequence of floats alone."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(one, float) for one in value)
    return isinstance(value, float)


def close(found, wanted, atol: float) -> bool:
    """Whether values of one type are close."""
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(close(*pair, atol) for pair in zip(found, wanted, strict=True))
    if found == wanted or (math.isnan(found) and math.isnan(wanted)):
        return True
    return abs(found - wanted) <= atol + 1e-7 * abs(wanted)
