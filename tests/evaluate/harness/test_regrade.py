"""Other people's logs, real ones where they are at hand, and small ones made up in their form."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.harness.regrade import regrade

HEAD = "[x] Task Metadata:\n>>>>> Applied Patch (pred)\n"
TAIL = "[x] Return Code: 1 \n\n>>>>> Some Tests Failed\n"
PASS = "=== short test summary info ===\nPASSED t.py::a\nPASSED t.py::b\n=== 2 passed in 0.1s ===\n"
FAIL = "=== short test summary info ===\nPASSED t.py::b\nFAILED t.py::a - x\n=== 1 failed, 1 passed in 0.1s ===\n"
RECORD = {
    "instance_id": "pytest-dev__pytest-1", "repo": "pytest-dev/pytest", "version": "7.0", "model_patch": "p",
    "FAIL_TO_PASS": ["t.py::a"], "PASS_TO_PASS": ["t.py::b"], "published_resolved": True,
    "eval_log": f"{HEAD}Test Script: conda run pytest -rA t.py;\n{PASS}{TAIL}",
}  # fmt: skip


def _write(folder: Path, *changes: dict[str, Any]) -> Path:
    path = folder / "logs.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(RECORD | change) + "\n" for change in changes).encode()))
    return path


def _log(tests: str) -> dict[str, Any]:
    return {"eval_log": f"{HEAD}Test Script: x\n{tests}{TAIL}", "published_resolved": False}


def test_verdicts_are_compared_and_written(tmp_path: Path) -> None:
    changes = [
        {},
        _log(FAIL),
        _log("") | {"eval_log": HEAD + ">>>>> Patch Apply Failed; (pred_try)\nOutput:\n"},
        _log("") | {"eval_log": "[x] stash pop failed\n"},
        _log(PASS) | {"instance_id": "pytest-dev__pytest-2"},
    ]
    result = regrade(_write(tmp_path, *changes), tmp_path / "out")
    assert result == {"logs": 5, "agree": 4, "differ": 1, "ids_differ": ["pytest-dev__pytest-2"], "bad": 0}
    assert json.loads((tmp_path / "out" / "result.json").read_text()) == result
    lines = [json.loads(line) for line in (tmp_path / "out" / "regraded.jsonl").read_text().splitlines()]
    statuses = ["resolved", "unresolved", "apply_failed", "infrastructure", "resolved"]
    assert [line["status"] for line in lines] == statuses


def test_records_that_are_not_whole_are_counted(tmp_path: Path) -> None:
    bad: list[dict[str, Any]] = [
        {"eval_log": None},
        {"published_resolved": "yes"},
        {"repo": "o/r"},
        {"FAIL_TO_PASS": []},
    ]
    bad[-1]["PASS_TO_PASS"] = []
    result = regrade(_write(tmp_path, {}, *bad), tmp_path / "out")
    assert result["logs"] == 1 and result["bad"] == 4


def test_a_missing_a_damaged_and_an_empty_file_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent is missing; correct evaluate\.logs"):
        regrade(tmp_path / "absent", tmp_path / "out")
    path = _write(tmp_path, {}, {})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="cannot be read"):
        regrade(path, tmp_path / "out")
    with pytest.raises(UserError, match="has no log that can be graded: 1 records"):
        regrade(_write(tmp_path, {"repo": None}), tmp_path / "out")


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
def test_recorded_logs_get_their_published_verdicts(tmp_path: Path) -> None:
    """AutoCodeRover's runs on SWE-bench Lite; the three that swebench 5 judges otherwise are known."""
    result = regrade(Path(os.environ["OPENSWERL_DATA"], "swebench/eval_logs_acr.jsonl.gz"), tmp_path)
    known = ["django__django-13660", "django__django-13660", "matplotlib__matplotlib-24970"]
    assert result == {"logs": 150, "agree": 147, "differ": 3, "ids_differ": known, "bad": 0}
    lines = [json.loads(line) for line in (tmp_path / "regraded.jsonl").read_text().splitlines()]
    assert sum(line["published_resolved"] for line in lines) == 65
    assert not [line for line in lines if line["reason"]], "no honest log is taken for a forged one"
