import pytest

from openswerl.ood.suite import NoAnswer
from openswerl.ood.suites import SUITES

MMLU = SUITES["mmlu"]
ROW = {"question": "Which?", "subject": "law", "choices": ["one", "two", "three", "four"], "answer": 2}


@pytest.mark.parametrize(
    ("output", "letter"),
    [
        ("Answer: C", "C"),
        ("A is wrong.\n**Answer: (B)**", "B"),
        ("<think>Answer: A</think>Answer: $D$", "D"),
        ("C", "C"),
        ("(A) one", "A"),
        ("B. two", "B"),
        ("<think>a</think>\n<solution>\nC\n</solution>", "C"),
    ],
)
def test_letters_are_found(judge, output, letter):
    item = MMLU.item(ROW)
    assert MMLU.answer(item, output) == letter
    assert judge("mmlu", ROW, output).status == ("correct" if letter == "C" else "wrong")


@pytest.mark.parametrize("output", ["", "three", "Answer: E", "Answer: Two", "Because of C", "c", "1"])
def test_what_names_no_choice_is_no_answer(output):
    with pytest.raises(NoAnswer, match="no_letter"):
        MMLU.answer(MMLU.item(ROW), output)


def test_the_question_shows_all_choices():
    question = MMLU.item(ROW).question
    assert "Which?" in question and "one of ABCD" in question
    assert all(line in question for line in ("A) one", "B) two", "C) three", "D) four"))


@pytest.mark.parametrize("change", [{"answer": 4}, {"answer": "C"}, {"answer": -1}, {"choices": []}, {"subject": None}])
def test_other_rows_are_none(change):
    with pytest.raises((ValueError, TypeError)):
        MMLU.item({**ROW, **change})
