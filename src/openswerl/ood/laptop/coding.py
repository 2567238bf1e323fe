"""Function coding in the form of HumanEval+: 14 kinds of function, each with three numbers."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from openswerl.ood.suite import Row


class Kind(NamedTuple):
    """`takes` is the argument's name and kind; `{k}` stands for a number in the name, the words and the expression."""

    name: str
    takes: str
    words: str
    gives: str
    numbers: tuple[int, int, int]


KINDS = (
    Kind("add_{k}", "number", "number plus {k}", "number + {k}", (3, 8, 21)),
    Kind("times_{k}", "number", "{k} times number", "number * {k}", (4, 7, 12)),
    Kind("power_{k}", "number", "number to the power of {k}", "number ** {k}", (2, 3, 4)),
    Kind("first_{k}", "items", "the first {k} items, all if there are fewer", "items[:{k}]", (2, 3, 5)),
    Kind("last_{k}", "items", "the last {k} items, all if there are fewer", "items[-{k}:]", (2, 3, 5)),
    Kind("every_{k}", "items", "every item whose index is a multiple of {k}", "items[::{k}]", (2, 3, 4)),
    Kind("count_above_{k}", "items", "how many items are above {k}", "sum(item > {k} for item in items)", (1, 3, 6)),
    Kind("multiples_of_{k}", "items", "the items that {k} divides", "[i for i in items if i % {k} == 0]", (2, 3, 5)),
    Kind("sum_up_to_{k}", "items", "the sum of the items that are at most {k}", "sum(i for i in items if i <= {k})",
         (2, 4, 7)),
    Kind("clip_at_{k}", "items", "the items, with {k} for each that is above {k}", "[min(i, {k}) for i in items]",
         (2, 4, 6)),
    Kind("without_{k}", "items", "the items without any {k}", "[i for i in items if i != {k}]", (0, 2, 5)),
    Kind("repeat_{k}", "text", "the text {k} times in a row", "text * {k}", (2, 3, 6)),
    Kind("pad_to_{k}", "text", "the text with dots after it, up to {k} letters", 'text.ljust({k}, ".")', (4, 7, 9)),
    Kind("longer_than_{k}", "words", "the words of more than {k} letters", "[w for w in words if len(w) > {k}]",
         (2, 3, 4)),
)  # fmt: skip
BASE, PLUS = 3, 12
LETTERS = "abcdefgh"


def rows() -> Iterator[Row]:
    """Yield 42 rows of the benchmark's file: prompt, canonical solution, the few base inputs and the many others."""
    for number, (kind, k) in enumerate((one, k) for one in KINDS for k in one.numbers):
        name, words, gives = (text.format(k=k) for text in (kind.name, kind.words, kind.gives))
        inputs = _inputs(kind.takes, Random(f"coding {number}"))
        yield {
            "task_id": f"laptop/{number}",
            "prompt": f'def {name}({kind.takes}):\n    """Return {words}."""\n',
            "entry_point": name,
            "canonical_solution": f"    return {gives}\n",
            "base_input": inputs[:BASE],
            "plus_input": inputs[BASE:],
            "atol": 0,
        }


def _inputs(kind: str, draw: Random) -> list[list[Any]]:
    """Return different inputs of a kind; what is empty, zero or negative is among the later ones."""
    ordinary: dict[str, Callable[[], Any]] = {
        "number": lambda: draw.randint(-40, 40),
        "items": lambda: [draw.randint(-2, 9) for _ in range(draw.randint(4, 8))],
        "text": lambda: _word(draw, draw.randint(1, 9)),
        "words": lambda: [_word(draw, draw.randint(1, 6)) for _ in range(draw.randint(3, 7))],
    }
    edges: dict[str, list[Any]] = {"number": [0, -1], "items": [[], [-5], [3, 3]], "text": [""], "words": [[], [""]]}
    found: list[Any] = []
    while len(found) < BASE + PLUS - len(edges[kind]):
        if (one := ordinary[kind]()) not in (*found, *edges[kind]):
            found.append(one)
    return [[one] for one in [*found, *edges[kind]]]


def _word(draw: Random, length: int) -> str:
    return "".join(draw.choice(LETTERS) for _ in range(length))
