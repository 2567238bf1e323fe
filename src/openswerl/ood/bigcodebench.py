"""BigCodeBench-Hard (Zhuo et al., 2024): write a function that calls libraries; unit tests judge it.

The tests need the packages that the benchmark lists: `ood.suites.<name>.python` names a virtual environment with them.
"""

from openswerl.ood.answers import final, function
from openswerl.ood.suite import Item, Program, Row, text

TESTED = """
import unittest as _unittest

_found = _unittest.TestResult()
_unittest.TestLoader().loadTestsFromTestCase(TestCases).run(_found)
assert _found.testsRun and not _found.failures and not _found.errors
"""
COMPLETE = "Complete this Python function. Answer with the whole program in one code fence.\n```python\n{prompt}```"


def instruct(row: Row) -> Item:
    """Read a row as an instruction in words."""
    return _item(row, text(row, "instruct_prompt"))


def complete(row: Row) -> Item:
    """Read a row as the beginning of a function."""
    return _item(row, COMPLETE.format(prompt=text(row, "complete_prompt")))


def _item(row: Row, question: str) -> Item:
    for key in ("code_prompt", "complete_prompt", "test", "entry_point"):
        text(row, key)
    return Item(text(row, "task_id"), question, row)


def answer(item: Item, output: str) -> str:
    """Return source that defines the function. Raises NoAnswer."""
    return function(final(output), item.row["entry_point"], item.row["complete_prompt"])


def judge(item: Item, answer: str) -> Program:
    """Return the program of the unit tests; the imports of `code_prompt` stand first, as in the official harness."""
    row = item.row
    return Program(f"{row['code_prompt']}\n    pass\n", f"{answer}\n\n{row['test']}\n{TESTED}")
