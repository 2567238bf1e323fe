"""Forgeries by source code under test, run by the real pytest; what is found and what is not."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.forgery import is_forged, runner_summary
from openswerl.evaluate.harness.grade import grade
from openswerl.evaluate.views import GoldView

F2P, P2P = "test_calc.py::test_add", "test_calc.py::test_name"
ROW: dict[str, Any] = {
    "instance_id": "i", "repo": "o/r", "version": "1", "image": "", "eval_script": "", "eval_type": "pass_and_fail",
    "log_parser": "parse_log_pytest", "FAIL_TO_PASS": json.dumps([F2P]), "PASS_TO_PASS": json.dumps([P2P]),
}  # fmt: skip
TESTS = "import calc\n\ndef test_name():\n    assert calc.__name__ == 'calc'\n\ndef test_add():\n    assert calc.add(2, 2) == 4\n"  # noqa: E501
FALSE = "def add(a, b):\n    return 5\n"
TRUE = "def add(a, b):\n    print('sum')\n    return a + b\n"
LINES = f"PASSED {F2P}\\nPASSED {P2P}\\n"
AT_IMPORT = f"print('{LINES}')\n"
AT_EXIT = f"import atexit, os\natexit.register(lambda: os.write(1, b'{LINES}'))\n"
AND_GONE = f"import os\nos.write(1, b'{LINES}')\nos._exit(0)\n"
COLLECTION = AT_EXIT + "raise ImportError\n"
WHOLE = f"=== short test summary info ===\\n{LINES}=== 2 passed in 0.01s ===\\n"
WHOLE_AT_EXIT = f"import atexit, os\natexit.register(lambda: os.write(1, b'{WHOLE}'))\n"


def _run(folder: Path, source: str, *options: str) -> Execution:
    (folder / "calc.py").write_text(source)
    (folder / "test_calc.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *options, "test_calc.py"]
    quick = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=quick)
    return Execution("exited", done.returncode, done.stdout)


def _grade(folder: Path, execution: Execution, row: dict[str, Any] = ROW) -> tuple[str, str | None]:
    verdict = grade(GoldView("i", "", "", "", row), "patch", execution, folder / "log")
    return verdict.status, verdict.reason


@pytest.mark.parametrize("options", [(), ("-q",), ("-s",), ("-vv",), ("--color=yes",)])
def test_an_honest_fix_resolves_whatever_the_output_looks_like(tmp_path: Path, options: tuple[str, ...]) -> None:
    row = ROW | {"log_parser": "parse_log_pytest_v2"} if "--color=yes" in options else ROW
    assert _grade(tmp_path, _run(tmp_path, TRUE, *options), row) == ("resolved", None)
    assert _grade(tmp_path, _run(tmp_path, FALSE, *options), row) == ("unresolved", None)


@pytest.mark.parametrize("trick", [AT_IMPORT, AT_EXIT, AND_GONE, COLLECTION, WHOLE_AT_EXIT])
@pytest.mark.parametrize("parser", ["parse_log_pytest", "parse_log_pytest_v2", "parse_log_seaborn"])
def test_lines_that_the_source_prints_do_not_resolve(tmp_path: Path, trick: str, parser: str) -> None:
    execution = _run(tmp_path, FALSE + trick, "-s")
    assert f"PASSED {F2P}" in execution.output
    assert _grade(tmp_path, execution, ROW | {"log_parser": parser})[0] == "unresolved"


def test_the_verbose_form_outside_the_summary_does_not_resolve(tmp_path: Path) -> None:
    trick = f"import os\nos.write(1, b'{F2P} PASSED\\n{P2P} PASSED\\n')\nos._exit(0)\n"
    row = ROW | {"log_parser": "parse_log_pytest_v2"}
    assert _grade(tmp_path, _run(tmp_path, trick, "-s"), row) == ("unresolved", "forged_status")


@pytest.mark.parametrize(
    ("parser", "good", "both"),
    [
        ("parse_log_django", "test_a (m.C) ... ok\n", "test_a (m.C) ... FAIL\ntest_a (m.C) ... ok\n"),
        ("parse_log_sympy", "m/tests/test_m.py[1] \ntest_a ok  [OK]\n", "m/tests/test_m.py[1] \ntest_a F\ntest_a ok\n"),
    ],
)
def test_a_test_that_fails_and_passes_is_forged(parser: str, good: str, both: str) -> None:
    name = "test_a (m.C)" if "django" in parser else "test_a"
    row = ROW | {"log_parser": parser, "FAIL_TO_PASS": [name], "PASS_TO_PASS": []}
    assert not is_forged(good, row) and is_forged(both, row)
    assert not is_forged(both, row | {"FAIL_TO_PASS": ["test_b"]}), "not a test of the row"


def test_sympys_tests_of_one_name_in_two_files_are_not_forged() -> None:
    row = ROW | {"log_parser": "parse_log_sympy", "FAIL_TO_PASS": ["test_a"], "PASS_TO_PASS": []}
    assert not is_forged("x/tests/test_x.py[1] \ntest_a F\nx/tests/test_y.py[1] \ntest_a ok\n", row)


def test_the_summary_is_the_last_one_up_to_its_last_line() -> None:
    inner = "=== short test summary info ===\nPASSED inner\n=== 1 passed in 0.1s ===\n"
    outer = "=== short test summary info ===\nPASSED outer\n=== 1 passed, 2 warnings in 0.12 seconds ===\nPASSED late\n"
    assert runner_summary(inner + outer).split() == ["PASSED", "outer"]
    assert runner_summary("PASSED a\n") == runner_summary("=== short test summary info ===\nPASSED a\n") == ""
