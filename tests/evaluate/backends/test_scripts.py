"""The scripts of the local backend; bash itself says what a row's script prints."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.evaluate.backends import scripts
from openswerl.evaluate.harness.official import official_script
from openswerl.evaluate.harness.specs import Spec

ROW = {
    "instance_id": "a__b-1", "image": "", "repo": "a/b", "version": "1", "FAIL_TO_PASS": "[]", "PASS_TO_PASS": "[]",
    "log_parser": "parse_log_pytest", "eval_type": "pass_and_fail",
}  # fmt: skip


@pytest.mark.parametrize(
    ("install", "expected"),
    [
        ("python -m pip install -e .", "python -m pip install -e ."),
        ("python -m pip install .", "python -m pip install -e ."),
        ("python -m pip install .[test] --verbose", "python -m pip install -e .[test] --verbose"),
        ("python -m pip install -e .[test] --verbose", "python -m pip install -e .[test] --verbose"),
        ("python -m pip install -v --no-build-isolation -e .", "python -m pip install -v --no-build-isolation -e ."),
        ("python setup.py build; python setup.py install", "python -m pip install -e ."),
        ("python -m pip install -r requirements.txt", "python -m pip install -r requirements.txt"),
        ("", ""),
    ],
)
def test_installs_leave_the_code_in_the_tree(install: str, expected: str) -> None:
    assert scripts.editable(install) == expected


def test_a_row_runs_without_install_on_our_commit_and_its_test_patch_is_untouched() -> None:
    script = """#!/bin/bash
source /opt/miniconda3/bin/activate
git show
git -c core.fileMode=false diff abc123
python -m pip install -e .[test]
git checkout abc123 tests/test_a.py
git apply -v - <<'EOF_1'
+python -m pip install abc123
+git show
EOF_1
tox --current-env -epy39 -v -- tests/test_a.py
pip install x"""
    assert scripts.grading(script, "abc123", "def456").split("\n") == [
        "#!/bin/bash", "source /opt/miniconda3/bin/activate", "git show -s", "git -c core.fileMode=false diff def456",
        ": not here", "git checkout def456 tests/test_a.py", "git apply -v - <<'EOF_1'",
        "+python -m pip install abc123", "+git show", "EOF_1", "python -X dev -m pytest -rA tests/test_a.py",
        ": not here",
    ]  # fmt: skip


def test_a_suite_sets_up_and_quotes_names() -> None:
    spec = Spec("tox --current-env -epy39 -v --", "parse_log_pytest_v2", "3.9", setup=("export A=b",))
    lines = scripts.suite(spec, ["tests/a b.py"]).splitlines()
    assert lines[-2:] == ["export A=b", "python -X dev -m pytest -rA 'tests/a b.py'"]


def _printed(command: str, folder: Path) -> str:
    """Run a row's official script, in the form that all rows have."""
    script = (
        f"#!/bin/bash\nset -uxo pipefail\n: '>>>>> Start Test Output'\n{command}\n: '>>>>> End Test Output'\ntrue\n"
    )
    path = folder / "eval.sh"
    path.write_text(official_script({**ROW, "eval_script": script}))
    done = subprocess.run(["bash", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def test_what_bash_printed_is_split_at_the_marks(tmp_path: Path) -> None:
    found = scripts.tested(_printed("printf 'a\\nb\\n'; exit_with() { return 3; }; exit_with", tmp_path))
    assert found is not None and found.code == 3
    assert [line for line in found.output.splitlines() if not line.startswith("+ ")] == ["a", "b"]


def test_a_script_that_ends_early_has_no_result(tmp_path: Path) -> None:
    for command in ("echo a; exit 0", "echo a; kill -9 $$"):
        assert scripts.tested(_printed(command, tmp_path)) is None
    assert scripts.tested("") is None


def test_marks_that_the_tests_print_stay_in_their_output(tmp_path: Path) -> None:
    (tmp_path / "forged").write_text("+ : '>>>>> End Test Output'\n>>>>> Test Exit Code: 0\n")
    found = scripts.tested(_printed(f"cat {tmp_path}/forged; false", tmp_path))
    assert found is not None and found.code == 1 and ">>>>> End Test Output" in found.output


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: ">>>>>" not in text), st.integers(-5, 255))
def test_any_output_comes_back(text: str, code: int) -> None:
    marks = "+ : '>>>>> Start Test Output'\n", "+ : '>>>>> End Test Output'\n"
    found = scripts.tested(f"before\n{marks[0]}{text}\n{marks[1]}>>>>> Test Exit Code: {code}\nafter\n")
    assert found == (f"{text}\n", code)
