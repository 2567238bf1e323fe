"""CRUXEval (Gu et al., 2024): tell the output of a function for an input (-O), or an input for an output (-I)."""

import ast

from openswerl.ood.answers import fenced, final, tree
from openswerl.ood.suite import Item, NoAnswer, Program, Row, text

NAME = "f"  # of the function in every row
OUTPUT = """\
Complete the assertion with a literal: what the call gives, even if the function has errors. The last line of your \
answer is the whole assertion, without a comment.
```python
{code}
assert f({input}) == ??
```"""
INPUT = """\
Complete the assertion with an input for which it holds; any one will do. The last line of your answer is the whole \
assertion, without a comment.
```python
{code}
assert f(??) == {output}
```"""


def output_item(row: Row) -> Item:
    """Read a row as the question for the output."""
    return _item(row, OUTPUT)


def input_item(row: Row) -> Item:
    """Read a row as the question for an input."""
    return _item(row, INPUT)


def _item(row: Row, asked: str) -> Item:
    parts = {key: text(row, key) for key in ("code", "input", "output")}
    return Item(text(row, "id"), asked.format(**parts), row)


def output_answer(item: Item, output: str) -> str:
    """Return the expression that an assertion has for the output, or a bare literal. Raises NoAnswer."""
    said = _last(output)
    value = said.comparators[0] if isinstance(said, ast.Compare) else said
    if value is None or (value is said and not _is_literal(value)) or _calls(value):
        raise NoAnswer("no_assertion")
    return ast.unparse(value)


def input_answer(item: Item, output: str) -> str:
    """Return the call that is said to give the output. Raises NoAnswer."""
    said = _last(output)
    call = said.left if isinstance(said, ast.Compare) else said
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == NAME):
        raise NoAnswer("no_assertion")
    return ast.unparse(call)


def judge_output(item: Item, answer: str) -> Program:
    """Return the program that compares the output with the answer."""
    return Program(f"{item.row['code']}\nwanted = f({item.row['input']})\n", f"assert wanted == ({answer})\n")


def judge_input(item: Item, answer: str) -> Program:
    """Return the program that compares the call's output with the one asked for."""
    return Program(f"{item.row['code']}\nwanted = {item.row['output']}\n", f"assert ({answer}) == wanted\n")


def _last(output: str) -> ast.expr | None:
    """Return the comparison of the last assertion, else the expression that the whole answer is; None without both."""
    said = final(output).replace("[ANSWER]", "\n").replace("[/ANSWER]", "\n")
    lines = [line.strip().strip("`") for line in said.split("\n")]
    asserted = [line for line in lines if line.startswith("assert ")]
    for source in [*reversed(asserted), *(one.strip() for one in reversed(fenced(said))), said.strip().strip("`")]:
        found = tree(source)
        if found and len(found.body) == 1 and (said_there := _expression(found.body[0])) is not None:
            return said_there
    return None


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False
    return True


def _calls(value: ast.expr) -> bool:
    """Whether the function is named in an expression: its own output is no answer."""
    return any(isinstance(node, ast.Name) and node.id == NAME for node in ast.walk(value))


def _expression(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, ast.Expr):
        return statement.value
    if isinstance(statement, ast.Assert) and isinstance(compared := statement.test, ast.Compare):
        return compared if len(compared.ops) == 1 and isinstance(compared.ops[0], ast.Eq) else None
    return None
