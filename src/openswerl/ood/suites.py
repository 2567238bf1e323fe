"""The suites of Table 3 by name, and their items."""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

from openswerl.errors import UserError
from openswerl.ood import bigcodebench, cruxeval, humaneval, math, mmlu
from openswerl.ood.laptop import arithmetic, choices, coding, prediction
from openswerl.ood.suite import Item, Row, Suite
from openswerl.raw_rows import raw_rows

SUITES = {
    "humaneval": Suite(humaneval.item, humaneval.answer, humaneval.judge, coding.rows),
    "bigcodebench_instruct": Suite(bigcodebench.instruct, bigcodebench.answer, bigcodebench.judge),
    "bigcodebench_complete": Suite(bigcodebench.complete, bigcodebench.answer, bigcodebench.judge),
    "cruxeval_input": Suite(cruxeval.input_item, cruxeval.input_answer, cruxeval.judge_input, prediction.rows),
    "cruxeval_output": Suite(cruxeval.output_item, cruxeval.output_answer, cruxeval.judge_output, prediction.rows),
    "math_strict": Suite(math.item, math.strict, math.judge, arithmetic.rows),
    "math_lenient": Suite(math.item, math.lenient, math.judge, arithmetic.rows),
    "mmlu": Suite(mmlu.item, mmlu.answer, mmlu.judge, choices.rows, macro=True),
}
"""In the order of the paper's table."""


class Loaded(NamedTuple):
    """The items of a suite, and the rows that are none: {suite, row, code, message}."""

    items: list[Item]
    bad: list[Row]


def load(name: str, cfg: Any) -> Loaded:
    """Return the first `cfg.instances` items of a suite, all if that is 0; `cfg` is the block of the suite.

    Raises UserError for an unknown suite, one without rows, and rows none of which is an item.
    """
    if name not in SUITES:
        raise UserError(f"ood.suites.{name} is unknown: choose among {', '.join(SUITES)}")
    loaded = Loaded([], [])
    seen: set[str] = set()
    for number, raw in enumerate(_rows(name, cfg)):
        if cfg.instances and len(loaded.items) == cfg.instances:
            break
        try:
            item = _item(SUITES[name], raw, number, seen)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            loaded.bad.append({"suite": name, "row": number, "code": type(error).__name__, "message": str(error)})
        else:
            seen.add(item.id)
            loaded.items.append(item)
    if not loaded.items:
        why = f": {loaded.bad[0]['message']}" if loaded.bad else ""
        raise UserError(f"ood.suites.{name}.rows={cfg.rows} holds no row in the form of the benchmark{why}")
    return loaded


def _rows(name: str, cfg: Any) -> Iterator[Any]:
    if cfg.rows:
        return raw_rows(cfg.rows, cfg.split, f"ood.suites.{name}.rows", cfg.subset)
    own = SUITES[name].own
    if own is None:
        raise UserError(f"ood.suites.{name}.rows is not set, and we have none of our own; name a file or a data set")
    return own()


def _item(suite: Suite, raw: Any, number: int, seen: set[str]) -> Item:
    if not isinstance(raw, dict):
        raise TypeError("this is no row")
    item = suite.item(raw)
    item = item if item.id else dataclasses.replace(item, id=str(number))
    if item.id in seen:
        raise ValueError(f"{item.id} occurs twice")
    return item
