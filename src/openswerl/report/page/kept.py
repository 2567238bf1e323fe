"""What an evaluation left on disk about single answers: the rows of the benchmark, patches, tests and logs."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from openswerl.evaluate.views import Problem, problem_of
from openswerl.files import read_jsonl
from openswerl.report.rows import read_document

TAIL = 24  # lines of a log
CHANGING = re.compile(
    r"\b\d+(\.\d+)?( ?s\b| ?seconds\b)|\(\d+:\d\d:\d\d\)"  # times
    r"|\b0x[0-9a-f]{6,}\b|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*|/tmp/\S+"  # addresses, dates, temporary paths
)


class Count(NamedTuple):
    """Tests of one kind: how many pass, of how many."""

    kind: str
    passed: int
    tests: int


class Tested(NamedTuple):
    """The official report's counts, none where nothing was graded, and the end of the test output.

    Times, addresses, dates and temporary paths are left out of it, so that equal runs leave equal texts.
    """

    counts: list[Count]
    log: str


def read_problems(folder: Path, names: Collection[str]) -> dict[str, Problem]:
    """Return these instances of the rows that an evaluation keeps beside its official report; those that it has."""
    rows = read_jsonl(folder / "swebench" / "rows.jsonl")
    return {row["instance_id"]: problem_of(row) for row in rows if row.get("instance_id") in names}


def read_patches(folder: Path) -> dict[str, str]:
    """Return the patch of each greedy answer, by instance."""
    return {row["instance_id"]: row["model_patch"] for row in read_jsonl(folder / "predictions.jsonl")}


def read_tests(folder: Path, name: str) -> Tested:
    """Return what the tests of one greedy answer said."""
    models = sorted(folder.glob("swebench/logs/run_evaluation/*/*/"))
    if not models:
        return Tested([], "")
    report, output = models[0] / name / "report.json", models[0] / name / "test_output.txt"
    counts = _counts(json.loads(report.read_text(encoding="utf-8"))) if report.is_file() else []
    return Tested(counts, _tail(output.read_text(encoding="utf-8", errors="replace")) if output.is_file() else "")


def _counts(report: dict[str, Any]) -> list[Count]:
    own: dict[str, Any] = next(iter(report.values()), {})
    kinds = [(kind, own.get("tests_status", {}).get(kind)) for kind in ("FAIL_TO_PASS", "PASS_TO_PASS")]
    return [Count(kind, len(x["success"]), len(x["success"]) + len(x["failure"])) for kind, x in kinds if x]


def _tail(log: str) -> str:
    return CHANGING.sub("\u2026", "\n".join(log.rstrip().split("\n")[-TAIL:]))


class Settings(msgspec.Struct, frozen=True):
    """The groups of an evaluation's config.json that say what its prompts showed and how its answers were read."""

    edits: dict[str, Any]
    evaluate: dict[str, Any]
    relate: dict[str, Any]
    prompt: dict[str, Any]


def read_settings(folder: Path) -> Settings | None:
    """Return an evaluation's settings; None where it kept none. Raises UserError if they are damaged."""
    path = folder / "config.json"
    return read_document(path, Settings) if path.is_file() else None
