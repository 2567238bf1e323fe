"""Output and input prediction in the form of CRUXEval: 11 functions, each with four inputs."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from openswerl.ood.suite import Row

EACH = 4


class Function(NamedTuple):
    """The kinds of its arguments, and its lines; `{k}` stands for a number.

    Kinds: t text, s list of numbers, n number up to 20, m number above.
    """

    takes: str
    lines: tuple[str, ...]


FUNCTIONS = (
    Function("t", ("def f(text):", "    return text[::-1] + text[:{k}]")),
    Function("t", ("def f(text):", "    found = []", "    for letter in text:", "        if letter not in found:",
                   "            found.append(letter)", "    return ''.join(found)")),
    Function("t", ("def f(text):", "    counts = dict()", "    for letter in text:",
                   "        counts[letter] = counts.get(letter, 0) + {k}", "    return counts")),
    Function("tn", ("def f(text, n):", "    if len(text) > n:", "        return text[:n]",
                    "    return text + '-' * {k}")),
    Function("s", ("def f(items):", "    total = {k}", "    for item in items:", "        if item > {k}:",
                   "            total = total + item", "    return total")),
    Function("s", ("def f(items):", "    return sorted(items)[-{k}:]")),
    Function("s", ("def f(items):", "    result = []", "    for item in items:",
                   "        result.append(item * {k} - 1)", "    return result")),
    Function("sn", ("def f(items, n):", "    items.insert({k}, n)", "    return [items.index(n), len(items)]")),
    Function("sn", ("def f(items, n):", "    return [item for item in items if item % {k} == n % {k}]")),
    Function("mn", ("def f(a, b):", "    while a > b:", "        a = a - {k}", "    return (a, b)")),
    Function("n", ("def f(n):", "    steps = 0", "    while n < 100:", "        n = n * 2 + {k}",
                   "        steps = steps + 1", "    return steps")),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """Yield 44 rows of the benchmark: code with a function f, the source of its arguments, and of what it gives."""
    for number, (function, _) in enumerate((function, one) for function in FUNCTIONS for one in range(EACH)):
        draw = Random(f"prediction {number}")
        code = "\n".join(function.lines).format(k=draw.randint(2, 5))
        arguments = [_argument(kind, draw) for kind in function.takes]
        scope: dict[str, Any] = {}
        exec(code, scope)  # ours, from the table above
        given = ", ".join(map(repr, arguments))
        yield {"id": f"laptop_{number}", "code": code, "input": given, "output": repr(scope["f"](*arguments))}


def _argument(kind: str, draw: Random) -> Any:
    if kind == "t":
        return "".join(draw.choice("abcde") for _ in range(draw.randint(4, 9)))
    if kind == "s":
        return [draw.randint(-3, 9) for _ in range(draw.randint(3, 7))]
    return draw.randint(21, 60) if kind == "m" else draw.randint(1, 20)
