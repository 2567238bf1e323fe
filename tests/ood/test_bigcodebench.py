import subprocess
import sys
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.ood.execution import Sandboxes
from openswerl.ood.suite import NoAnswer
from openswerl.ood.suites import SUITES

TEST = """
import unittest


class TestCases(unittest.TestCase):
    def test_zeros(self):
        self.assertEqual(task_func(2), [0, 0])

    def test_none(self):
        self.assertEqual(task_func(0), [])
"""
ROW = {
    "task_id": "BigCodeBench/0",
    "instruct_prompt": "Return a list of n zeros.",
    "complete_prompt": 'import json\n\n\ndef task_func(n):\n    """Return a list of n zeros."""\n',
    "code_prompt": "import json\n\n\ndef task_func(n):\n",
    "canonical_solution": "    return json.loads('[' + ','.join(['0'] * n) + ']')\n",
    "test": TEST,
    "entry_point": "task_func",
}
RIGHT = "```python\ndef task_func(n):\n    return json.loads(json.dumps([0] * n))\n```"


@pytest.mark.parametrize("name", ["bigcodebench_instruct", "bigcodebench_complete"])
@pytest.mark.parametrize(
    ("output", "status"),
    [
        (RIGHT, "correct"),
        ("```python\ndef task_func(n):\n    return [0, 0]\n```", "wrong"),
        ("```python\ndef task_func(n):\n    return absent(n)\n```", "wrong"),
        ("```python\ndef task_func(n):\n    raise SystemExit\n```", "wrong"),
    ],
)
def test_unit_tests_judge(judge, name, output, status):
    assert judge(name, ROW, output).status == status


def test_tests_that_are_none_do_not_pass(judge):
    assert judge("bigcodebench_instruct", {**ROW, "test": "class TestCases: pass"}, RIGHT).status == "wrong"


def test_the_two_forms_ask_for_the_same_in_other_words():
    assert SUITES["bigcodebench_instruct"].item(ROW).question == ROW["instruct_prompt"]
    assert ROW["complete_prompt"] in SUITES["bigcodebench_complete"].item(ROW).question
    with pytest.raises(NoAnswer):
        SUITES["bigcodebench_instruct"].answer(SUITES["bigcodebench_instruct"].item(ROW), "no")


def test_a_package_that_is_missing_is_the_machines_fault(judge):
    row = {**ROW, "code_prompt": "import a_package_that_is_not_there\n\n\ndef task_func(n):\n"}
    assert judge("bigcodebench_instruct", row, RIGHT) == ("error", "infrastructure")


@pytest.mark.slow
def test_programs_run_under_a_python_of_their_own(tmp_path):
    """A virtual environment with a package that ours does not have."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    site = next((tmp_path / "venv" / "lib").glob("python3*")) / "site-packages"
    (site / "package_of_its_own.py").write_text("NUMBER = 0\n")
    row = {**ROW, "code_prompt": "import package_of_its_own\n\n\ndef task_func(n):\n"}
    suite = SUITES["bigcodebench_instruct"]
    item = suite.item(row)
    python = str(tmp_path / "venv" / "bin" / "python")
    zeros = "def task_func(n):\n    return [package_of_its_own.NUMBER] * n\n"
    leaky = f"def task_func(n):\n    open({str(Path(__file__))!r})\n    return [0] * n\n"
    with Sandboxes("bubblewrap", 20) as sandboxes:
        sandboxes.open(python)
        verdicts = [
            sandboxes.run(suite.judge(item, one), python).status for one in (zeros, "def task_func(n): 1", leaky)
        ]
        assert verdicts == ["correct", "wrong", "wrong"]
        with pytest.raises(UserError, match="absent/python is no Python that starts"):
            sandboxes.open("absent/python")
    with Sandboxes("process", 20) as sandboxes, pytest.raises(UserError, match="cannot hold another Python"):
        sandboxes.open(python)
