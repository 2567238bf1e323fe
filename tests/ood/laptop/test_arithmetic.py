import re
from fractions import Fraction

import pytest
import sympy

from openswerl.ood.answers import boxed
from openswerl.ood.laptop.arithmetic import latex, rows
from openswerl.ood.math import number

ROWS = list(rows())


def test_there_are_enough_and_they_are_different():
    assert len(ROWS) >= 40
    assert len({row["problem"] for row in ROWS}) == len({row["unique_id"] for row in ROWS}) == len(ROWS)
    assert list(rows()) == ROWS


def independent(problem: str) -> Fraction:
    """Work the answer out from the words alone."""
    n = [int(text) for text in re.findall(r"\d+", problem)]
    if "remainder" in problem:
        return Fraction(n[0] % n[1])
    if "divisor" in problem:
        return Fraction(int(sympy.gcd(n[0], n[1])))
    if "apples" in problem:
        return Fraction(n[0] - n[1])
    if "lowest" in problem:
        return Fraction(n[0], n[1])
    formula = re.search(r"\$(.*?)\$", problem)[1]
    plain = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"Rational(\1,\2)", formula).replace("\\cdot", "*").replace("^", "**")
    if "x" in plain:
        left, right = re.sub(r"(\d)x", r"\1*x", plain).split("=")
        (found,) = sympy.solve(sympy.sympify(left) - sympy.sympify(right))
    else:
        found = sympy.sympify(plain)
    return Fraction(int(found.p), int(found.q))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["unique_id"])
def test_answers_are_what_the_words_say(row):
    assert boxed(row["solution"]) == latex(independent(row["problem"]))


@pytest.mark.parametrize("row", ROWS[::4], ids=lambda row: row["unique_id"])
def test_right_is_told_from_wrong(judge, row):
    gold = boxed(row["solution"])
    for name, said in (("math_strict", f"Answer: ${gold}$"), ("math_lenient", f"\\boxed{{{gold}}}")):
        assert judge(name, row, said).status == "correct"
    if number(gold) is not None:
        assert judge("math_strict", row, f"Answer: {number(gold) + 1}").status == "wrong"
