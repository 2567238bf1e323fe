"""HumanEval+ (Liu et al., 2023): write a function; it must do on every input what the canonical solution does.

Rows are those of the benchmark's own file (inputs, and the canonical solution that tells the outputs) or those of the
data set on the Hub, whose `test` holds a function `check`.
"""

import json
from pathlib import Path

from openswerl.ood.answers import final, function
from openswerl.ood.suite import Item, Program, Row, text

COMPARING = Path(__file__).with_name("comparing.py")
CASES = ("base_input", "plus_input")
ASKED = "Complete this Python function. Answer with the whole function in one code fence.\n```python\n{prompt}```"


def item(row: Row) -> Item:
    """Read a row."""
    prompt = text(row, "prompt")
    text(row, "entry_point")
    if not isinstance(row.get("test"), str) or "base_input" in row:
        text(row, "canonical_solution")
        if not all(isinstance(row[key], list) for key in CASES):
            raise TypeError("base_input or plus_input is no list")
    return Item(text(row, "task_id"), ASKED.format(prompt=prompt if prompt.endswith("\n") else prompt + "\n"), row)


def answer(item: Item, output: str) -> str:
    """Return source that defines the function. Raises NoAnswer."""
    return function(final(output), item.row["entry_point"], item.row["prompt"])


def judge(item: Item, answer: str) -> Program:
    """Return the program of all tests. The prompt stands before the answer, for its imports and helpers."""
    row = item.row
    head = f"{row['prompt']}\n    pass\n"
    if "base_input" not in row:
        return Program(head, f"{answer}\n{row['test']}\ncheck({row['entry_point']})\n")
    task = {key: row.get(key, 0) for key in ("prompt", "canonical_solution", "entry_point", "atol", *CASES)}
    setup = f"{COMPARING.read_text()}\ntask = Task({json.dumps(task)!r})\n"
    return Program(setup, f"task.compare({head!r}, {answer!r})\n")
