import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openswerl.errors import UserError
from openswerl.evaluate.harness.evalscript import touched
from openswerl.evaluate.harness.rows import normalise, read_benchmark

OLD = {
    "instance_id": "django__django-1", "repo": "django/django", "base_commit": "c" * 40, "version": "4.0",
    "problem_statement": "p", "patch": "", "FAIL_TO_PASS": '["a"]', "PASS_TO_PASS": None, "hints_text": "",
    "test_patch": "diff --git a/tests/x/tests.py b/tests/x/tests.py\n--- a/tests/x/tests.py\n+++ b/tests/x/tests.py\n"
    "@@ -1 +1 @@\n-a\n+b\n",
}  # fmt: skip
NEW = OLD | {
    "image": "my/image",
    "eval_script": "run",
    "log_parser": "parse_log_jest",
    "eval_type": "fail_only",
    "split": "gate",
}


def test_a_row_of_version_5_stays_as_it_is() -> None:
    assert normalise(NEW, "x") == NEW


def test_an_old_row_gets_what_it_lacks() -> None:
    row: Any = normalise(OLD, "x")
    assert row["image"] == "swebench/sweb.eval.x86_64.django_1776_django-1:latest" and row["split"] == "verified"
    assert (row["log_parser"], row["eval_type"]) == ("parse_log_django", "pass_and_fail")
    assert "\ngit checkout HEAD -- tests/x/tests.py\n" in row["eval_script"]
    assert {key: row[key] for key in OLD} == OLD


def test_swebench_takes_the_row_and_adds_the_exit_code() -> None:
    from swebench.harness.utils import make_test_spec

    lines = make_test_spec(normalise(OLD, "x")).eval_script_list  # type: ignore[arg-type]
    run, code, end, told = lines[lines.index(": '>>>>> Start Test Output'") + 1 :][:4]
    assert run.endswith(" x.tests") and "$?" in code and "End Test Output" in end and "Test Exit Code" in told


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"FAIL_TO_PASS": [], "PASS_TO_PASS": "[]"}, "no_tests"),
        ({"FAIL_TO_PASS": None}, "no_tests"),
        ({"FAIL_TO_PASS": "{"}, "missing_field"),
        ({"FAIL_TO_PASS": [3]}, "missing_field"),
        ({"base_commit": None}, "missing_field"),
        ({"repo": "o/r"}, "unknown_repository"),
        ({"log_parser": "parse_log_cobol"}, "unknown_parser"),
    ],
)
def test_why_a_row_is_bad(change: dict[str, Any], code: str) -> None:
    bad = normalise(OLD | change, "here")
    assert not isinstance(bad, dict) and bad.code == code and bad.where.startswith("here") and "\n" not in bad.message


def _write(path: Path, rows: list[Any]) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(lines.encode()))
    else:
        path.write_text(json.dumps(rows) if path.suffix == ".json" else lines)
    return path


@pytest.mark.parametrize("name", ["r.json", "r.jsonl", "r.jsonl.gz", "r.parquet"])
def test_all_forms_of_files_hold_the_same(tmp_path: Path, name: str) -> None:
    rows = [OLD, OLD | {"instance_id": "django__django-2"}, OLD]
    found = read_benchmark(_write(tmp_path / name, rows))
    assert [row["instance_id"] for row in found.good] == ["django__django-1", "django__django-2"]
    assert [(bad.code, bad.where.rpartition(" ")[2]) for bad in found.bad] == [("double_id", "3")]


def test_a_table_of_predictions_form_is_read_by_its_values(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps({"one": OLD}))
    assert read_benchmark(tmp_path / "r.json").good[0]["instance_id"] == OLD["instance_id"]


def test_a_broken_line_costs_a_row_and_a_broken_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(OLD) + '\n{"half\n[]\n')
    found = read_benchmark(path)
    assert len(found.good) == 1 and [bad.code for bad in found.bad] == ["not_a_row"] * 2
    whole = gzip.compress(json.dumps(OLD).encode() * 9)
    (tmp_path / "r.jsonl.gz").write_bytes(whole[:-30])
    for name in ("r.jsonl.gz", "absent.jsonl"):
        with pytest.raises(UserError, match=name) as error:
            read_benchmark(tmp_path / name)
        assert "\n" not in str(error.value)
    (tmp_path / "r.parquet").write_text("no")
    with pytest.raises(UserError, match=r"r\.parquet cannot be read"):
        read_benchmark(tmp_path / "r.parquet")


def test_what_is_no_file_and_no_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither a \.json"):
        read_benchmark(tmp_path / "rows.csv")


def test_a_data_set_of_the_hub_is_asked_of_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in the form of the Hub, which `datasets` opens by its name as well."""
    (tmp_path / "owner" / "name").mkdir(parents=True)
    _write(tmp_path / "owner" / "name" / "test.jsonl", [OLD])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    assert read_benchmark("owner/name").good[0]["instance_id"] == OLD["instance_id"]
    with pytest.raises(UserError, match="owner/name cannot be had from the Hub"):
        read_benchmark("owner/name", split="absent")


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
@pytest.mark.parametrize(
    ("name", "good", "without_tests"), [("verified_instances", 138, 255), ("lite_only_instances", 168, 0)]
)
def test_real_rows(name: str, good: int, without_tests: int) -> None:
    """Every real row becomes one that swebench takes; the copies at hand lack the test lists of most of Verified."""
    from swebench.harness.utils import make_test_spec
    from unidiff import PatchSet

    rows = read_benchmark(Path(os.environ["OPENSWERL_DATA"], "swebench", f"{name}.jsonl.gz"))
    assert len(rows.good) == good and Counter(bad.code for bad in rows.bad) == Counter({"no_tests": without_tests})
    for row in rows.good:
        assert make_test_spec(row).eval_script.count(">>>>> Test Exit Code") == 1
        files = PatchSet(row["test_patch"])
        assert touched(row["test_patch"]).base == [file.path for file in files if not file.is_added_file]
        assert touched(row["test_patch"]).added == [file.path for file in files if file.is_added_file]
