import pytest

from openswerl.ood.suite import NoAnswer
from openswerl.ood.suites import SUITES

ROW = {"id": "s_0", "code": "def f(a, b):\n    return [a + b, str(a)]", "input": "1, b=2", "output": "[3, '1']"}


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("assert f(1, b=2) == [3, '1']", "correct"),
        ('<think>f(1, 2) is\nassert f(1, b=2) == 9</think>\nassert f(1, b=2) == [3, "1"]', "correct"),
        ("[ANSWER]\nassert f(1, b=2) == [3, '1']\n[/ANSWER]", "correct"),
        ("```python\nassert f(1, b=2) == [1 + 2, '1']\n```", "correct"),
        ("[3, '1']", "correct"),
        ("`[3, '1']`", "correct"),
        ("assert f(1, b=2) == [3, 1]", "wrong"),
        ("assert f(1, b=2) == [3, '1']\nno:\nassert f(1, b=2) == 4", "wrong"),
        ("assert f(1, b=2) == exit(0)", "wrong"),
        ("assert f(1, b=2) == wanted_or_not", "wrong"),
    ],
)
def test_outputs(judge, output, status):
    assert judge("cruxeval_output", ROW, output).status == status


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("assert f(1, 2) == [3, '1']", "correct"),
        ("f(1, b=2)", "correct"),
        ("assert f(a=1, b=2) == 'whatever is said here'", "correct"),
        ("assert f(2, 1) == [3, '1']", "wrong"),
        ("assert f() == [3, '1']", "wrong"),
        ("assert f(exit(0)) == [3, '1']", "wrong"),
    ],
)
def test_inputs(judge, output, status):
    assert judge("cruxeval_input", ROW, output).status == status


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("cruxeval_output", "assert f(1, b=2) == f(1, b=2)"),
        ("cruxeval_output", "some_word"),
        ("cruxeval_output", "it gives 3"),
        ("cruxeval_output", "assert f(1, b=2) == ??"),
        ("cruxeval_output", "assert f(1, b=2) == 1 == 1"),
        ("cruxeval_output", "x = [3, '1']"),
        ("cruxeval_input", "1, 2"),
        ("cruxeval_input", "assert g(1, 2) == [3, '1']"),
        ("cruxeval_input", "assert [3, '1'] == f(1, 2)"),
        ("cruxeval_input", ""),
    ],
)
def test_what_is_no_assertion_is_no_answer(name, output):
    with pytest.raises(NoAnswer, match="no_assertion"):
        SUITES[name].answer(SUITES[name].item(ROW), output)


def test_a_question_shows_one_side_and_hides_the_other():
    asked_in, asked_out = (SUITES[f"cruxeval_{way}"].item(ROW).question for way in ("input", "output"))
    assert ROW["output"] in asked_in and ROW["input"] not in asked_in
    assert ROW["input"] in asked_out and ROW["output"] not in asked_out
