import ast
import subprocess
import sys

import pytest

from openswerl.ood.laptop.prediction import rows

ROWS = list(rows())


def test_there_are_enough_and_they_are_different():
    assert len(ROWS) >= 40
    assert len(ROWS) == len({row["id"] for row in ROWS})
    for shown in ("input", "output"):
        assert len({(row["code"], row[shown]) for row in ROWS}) == len(ROWS)
    assert list(rows()) == ROWS


def test_outputs_are_literals_and_what_a_python_of_its_own_gives():
    program = "\n".join(f"{row['code']}\nprint(repr(f({row['input']})))" for row in ROWS)
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [row["output"] for row in ROWS]
    for row in ROWS:
        assert repr(ast.literal_eval(row["output"])) == row["output"]


@pytest.mark.parametrize("row", ROWS[::4], ids=lambda row: row["id"])
def test_right_is_told_from_wrong(judge, row):
    right = f"assert f({row['input']}) == {row['output']}"
    assert judge("cruxeval_output", row, right).status == judge("cruxeval_input", row, right).status == "correct"
    assert judge("cruxeval_output", row, f"assert f({row['input']}) == 'no'").status == "wrong"
    assert judge("cruxeval_input", row, f"assert f() == {row['output']}").status == "wrong"
