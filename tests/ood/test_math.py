from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.ood.math import number
from openswerl.ood.suite import NoAnswer
from openswerl.ood.suites import SUITES


def row(gold: str) -> dict[str, str]:
    return {
        "problem": "What is it?",
        "solution": f"It is $\\boxed{{{gold}}}$.",
        "subject": "Algebra",
        "unique_id": "a/1",
    }


@pytest.mark.parametrize(
    ("gold", "said", "status"),
    [
        ("12", "12", "correct"),
        ("12", "$12$.", "correct"),
        ("12", "12.0", "correct"),
        ("1200", "1,200", "correct"),
        ("\\frac{3}{4}", "\\dfrac{3}{4}", "correct"),
        ("12", "13", "wrong"),
        ("0.5", "1/2", "correct"),
    ],
)
def test_plain_answers(judge, gold, said, status):
    assert judge("math_strict", row(gold), f"Answer: {said}").status == status


@pytest.mark.parametrize(
    ("gold", "said", "status"),
    [
        ("\\frac{3}{4}", "0.75", "correct"),
        ("\\frac{3}{4}", "$\\frac{6}{8}$", "correct"),
        ("\\frac{3}{4}", "\\frac{4}{3}", "wrong"),
        ("2\\sqrt{2}", "\\sqrt{8}", "correct"),
        ("x^2+2x+1", "(x+1)^2", "correct"),
        ("(1,2)", "(2,1)", "wrong"),
        ("12", "twelve", "wrong"),
    ],
)
def test_other_forms_are_compared_by_their_meaning(judge, gold, said, status):
    assert judge("math_strict", row(gold), f"Answer: {said}").status == status


def test_strict_wants_the_answer_line_and_lenient_takes_a_box():
    """Table 3: strict is the form "Answer: ...", lenient also takes a boxed answer."""
    item = SUITES["math_strict"].item(row("7"))
    for output, strict, lenient in [
        ("so\nAnswer: 7", "7", "7"),
        ("so $\\boxed{7}$", None, "7"),
        ("\\boxed{8}\nAnswer: 7", "7", "7"),
        ("<think>Answer: 7</think>\\boxed{8}", None, "8"),
        ("7", None, None),
    ]:
        for name, expected in (("math_strict", strict), ("math_lenient", lenient)):
            if expected is None:
                with pytest.raises(NoAnswer):
                    SUITES[name].answer(item, output)
            else:
                assert SUITES[name].answer(item, output) == expected


def test_the_reference_is_the_answer_of_the_row_or_the_last_box():
    assert SUITES["math_strict"].item({**row("7"), "answer": "8"}).row["answer"] == "8"
    assert SUITES["math_strict"].item(row("7")).row["answer"] == "7"
    with pytest.raises(ValueError):
        SUITES["math_strict"].item({"problem": "?", "solution": "it is 7"})


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_numbers_in_all_their_forms_are_one_number(top, bottom):
    assert number(f"${top}/{bottom}$") == Fraction(top, bottom)
    assert number(f"{top:,}") == top
    assert number(f"{top}.50") == Fraction(f"{top}.5")


@pytest.mark.parametrize("said", ["", "x", "1/0", "1,20", "1 or 2", "\\frac{1}{2}", "1e3", "٣", "9" * 100])
def test_what_is_no_plain_number_is_none(said):
    assert number(said) is None
