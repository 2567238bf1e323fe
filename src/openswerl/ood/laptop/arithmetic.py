r"""Arithmetic in the form of MATH: 11 kinds of problem, four of each, the answer boxed in the solution."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd
from random import Random

from openswerl.ood.suite import Row

EACH = 4
Made = tuple[str, int | Fraction]


def _sum(a: int, b: int, c: int) -> Made:
    return f"What is ${a} + {b}$?", a + b


def _difference(a: int, b: int, c: int) -> Made:
    return f"What is ${a} - {b}$?", a - b


def _product(a: int, b: int, c: int) -> Made:
    return f"Compute ${a} \\cdot {c}$.", a * c


def _mixed(a: int, b: int, c: int) -> Made:
    return f"Compute ${a} + {b} \\cdot {c}$.", a + b * c


def _square(a: int, b: int, c: int) -> Made:
    return f"What is ${a}^2$?", a * a


def _remainder(a: int, b: int, c: int) -> Made:
    return f"What is the remainder when {a + b} is divided by {c}?", (a + b) % c


def _lowest_terms(a: int, b: int, c: int) -> Made:
    return f"Write $\\frac{{{a * c}}}{{{b * c}}}$ in lowest terms.", Fraction(a, b)


def _fractions(a: int, b: int, c: int) -> Made:
    return f"Compute $\\frac{{{a}}}{{{c}}} + \\frac{{{b}}}{{{c}}}$.", Fraction(a + b, c)


def _divisor(a: int, b: int, c: int) -> Made:
    return f"What is the greatest common divisor of {a * c} and {b * c}?", gcd(a * c, b * c)


def _equation(a: int, b: int, c: int) -> Made:
    return f"If ${c}x + {b} = {c * a + b}$, what is $x$?", a


def _apples(a: int, b: int, c: int) -> Made:
    return f"Ann has {a + b} apples and gives away {b}. How many are left?", a


KINDS: tuple[tuple[str, Callable[[int, int, int], Made]], ...] = (
    ("Prealgebra", _sum),
    ("Prealgebra", _difference),
    ("Prealgebra", _product),
    ("Prealgebra", _mixed),
    ("Prealgebra", _square),
    ("Number Theory", _remainder),
    ("Prealgebra", _lowest_terms),
    ("Prealgebra", _fractions),
    ("Number Theory", _divisor),
    ("Algebra", _equation),
    ("Prealgebra", _apples),
)


def rows() -> Iterator[Row]:
    """Yield 44 rows of the benchmark: problem, solution, subject, level."""
    for number, (subject, made) in enumerate((*kind,) for kind in KINDS for _ in range(EACH)):
        draw = Random(f"arithmetic {number}")
        problem, answer = made(draw.randint(11, 60), draw.randint(5, 40), draw.randint(3, 9))
        boxed = f"The answer is $\\boxed{{{latex(answer)}}}$."
        yield {
            "unique_id": f"laptop/{number}",
            "problem": problem,
            "solution": boxed,
            "subject": subject,
            "level": "Level 1",
        }


def latex(value: int | Fraction) -> str:
    r"""Return a number as MATH writes it: 7, or \frac{3}{4}."""
    if value == int(value):
        return str(int(value))
    value = Fraction(value)
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
