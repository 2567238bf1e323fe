"""The suite can tell right from wrong: the canonical solutions pass, and each wrong one fails where it should."""

import pytest

from openswerl.ood.laptop.coding import rows

ROWS = list(rows())


def named(row):
    return row["entry_point"]


def test_there_are_enough_and_they_are_different():
    assert len(ROWS) >= 40
    assert len({row["prompt"] for row in ROWS}) == len({row["task_id"] for row in ROWS}) == len(ROWS)
    assert list(rows()) == ROWS


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_the_canonical_solution_passes_and_one_that_learned_the_base_tests_by_heart_does_not(judge, row):
    assert judge("humaneval", row, row["canonical_solution"]).status == "correct"
    scope = {}
    exec(row["prompt"] + row["canonical_solution"], scope)
    known = {repr(case[0]): scope[row["entry_point"]](case[0]) for case in row["base_input"]}
    learned = f"    return {known!r}[repr({row['prompt'].split('(')[1].split(')')[0]})]\n"
    assert judge("humaneval", row, learned) == ("wrong", "PlusTestFailed")
    assert judge("humaneval", row, "    return None\n") == ("wrong", "BaseTestFailed")


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_inputs_are_different_and_do_not_all_give_the_same(row):
    scope = {}
    exec(row["prompt"] + row["canonical_solution"], scope)
    inputs = [repr(case) for case in row["base_input"] + row["plus_input"]]
    assert len(set(inputs)) == len(inputs) == 15
    assert len({repr(scope[row["entry_point"]](*case)) for case in row["base_input"] + row["plus_input"]}) > 3
