import json
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import Entry
from openswerl.evaluate.views import GoldView, load, oracle_paths

ROW = {
    "instance_id": "o__r-1", "repo": "o/r", "base_commit": "0" * 40, "version": "1", "problem_statement": "p",
    "hints_text": "", "split": "gate", "patch": "", "test_patch": "", "FAIL_TO_PASS": '["t"]', "PASS_TO_PASS": [],
    "image": "", "eval_script": "python -m pytest -rA 't x.py'\n", "log_parser": "parse_log_pytest",
    "eval_type": "pass_and_fail",
}  # fmt: skip


def _load(folder: Path, *changes: dict[str, Any], **splits: int) -> Any:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(ROW | change) + "\n" for change in changes))
    return load(path, splits or {"gate": 1})


def test_the_first_rows_of_each_split_are_taken_in_file_order(tmp_path: Path) -> None:
    rows = [{"instance_id": f"i{n}", "split": split} for n, split in enumerate("babab")]
    found = _load(tmp_path, *rows, a=2, b=1)
    assert [problem.task.instance_id for problem in found] == ["i1", "i3", "i0"]


def test_the_task_has_no_gold_field() -> None:
    assert {"patch", "test_patch", "FAIL_TO_PASS", "eval_script", "hints_text"}.isdisjoint(GoldView.__mro__[0].__dict__)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"FAIL_TO_PASS": "[]", "PASS_TO_PASS": []},
            r"row 1 \(o__r-1\): it has no tests, so any patch would",
        ),
        ({"FAIL_TO_PASS": "[t]"}, r"row 1 \(o__r-1\): FAIL_TO_PASS or PASS_TO_PASS is not a list"),
        ({"repo": 3}, "row 1: repo is missing or not a text"),
        ({"split": "other"}, "0 rows of split gate, fewer than evaluate.splits asks for \\(1\\)"),
    ],
)
def test_a_bad_row_is_refused_in_one_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        _load(tmp_path, change)
    assert "\n" not in str(error.value)


def test_a_double_id_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="row 2: o__r-1 occurs twice"):
        _load(tmp_path, {}, {})
    with pytest.raises(UserError, match=r"absent\.jsonl is missing"):
        load(tmp_path / "absent.jsonl", {})


def test_with_a_quarantine_bad_rows_are_written_told_and_counted(tmp_path: Path, capsys: Any) -> None:
    path, aside = tmp_path / "rows.jsonl", tmp_path / "quarantine.jsonl"
    rows = [ROW, ROW | {"instance_id": "b", "FAIL_TO_PASS": []}, ROW | {"instance_id": "c"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "half a li\n")
    found = load(path, {"gate": 4}, aside)
    assert [problem.task.instance_id for problem in found] == ["o__r-1", "c"]
    assert [json.loads(line)["code"] for line in aside.read_text().splitlines()] == ["no_tests", "not_a_row"]
    assert "2 rows cannot be graded (no_tests 1, not_a_row 1)" in capsys.readouterr().out
    with pytest.raises(UserError, match="has 2 rows of split gate"):
        load(path, {"gate": 5}, aside)


def test_a_row_without_a_split_is_of_the_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{key: value for key, value in ROW.items() if key != "split"}]))
    assert load(path, {"verified": 1})[0].task.split == "verified"


def test_the_test_command_is_read_from_the_script(tmp_path: Path) -> None:
    marked = "#!/bin/bash\nset -uxo pipefail\ngit apply -\n: '>>>>> Start Test Output'\npython -m pytest -rA a.py\n: '>>>>> End Test Output'\ngit checkout\n"  # fmt: skip  # noqa: E501
    assert _load(tmp_path, {})[0].gold.pytest_arguments == ["-rA", "t x.py"]
    assert _load(tmp_path, {"eval_script": marked})[0].gold.pytest_arguments == ["-rA", "a.py"]
    for other in ("tox -e py311", "python -m pytest a.py\npython -m pytest b.py"):
        with pytest.raises(UserError, match="not one `python -m pytest` command"):
            _ = _load(tmp_path, {"eval_script": other})[0].gold.pytest_arguments


def test_oracle_files_are_those_of_the_base_that_gold_changes(tmp_path: Path) -> None:
    base = {name: Entry("100644", b"x\n") for name in ("edited", "removed", "moved", "kept")}
    patch = (
        "diff --git a/edited b/edited\n--- a/edited\n+++ b/edited\n@@ -1 +1 @@\n-x\n+y\n"
        "diff --git a/removed b/removed\ndeleted file mode 100644\n--- a/removed\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/moved b/there\nsimilarity index 100%\nrename from moved\nrename to there\n"
        "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
    )
    gold = _load(tmp_path, {"patch": patch})[0].gold
    assert oracle_paths(base, gold) == ["edited", "moved", "removed"]
