"""Rows of a benchmark, from a file or the Hugging Face Hub, in the form that swebench 5 takes."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from openswerl.evaluate.harness.evalscript import eval_script
from openswerl.evaluate.harness.specs import find_spec, known_parsers
from openswerl.raw_rows import raw_rows

Row = dict[str, Any]
TEXTS = ("instance_id", "repo", "base_commit", "version", "problem_statement", "patch", "test_patch")
HARNESS = ("image", "eval_script", "log_parser", "eval_type")
TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")
SPLIT = "verified"
# What becomes a part of a path or an argument of git: no row may lead out of a folder or pass an option.
SAFE = {
    "instance_id": re.compile(r"[\w-][\w.-]*", re.ASCII),
    "repo": re.compile(r"[\w-][\w.-]*/(?!\.\.?$)[\w.-]+", re.ASCII),
    "base_commit": re.compile(r"\w[\w./-]*", re.ASCII),
}


class BadRow(NamedTuple):
    """A row that cannot be graded: which it is, a stable code, and the reason in words."""

    where: str
    code: str
    message: str


class Rows(NamedTuple):
    """Rows in the v5 form, and those that are not among them."""

    good: list[Row]
    bad: list[BadRow]


def read_benchmark(source: Path | str, split: str = "test") -> Rows:
    """Return the rows of a .json, .jsonl, .jsonl.gz or .parquet file, or of the data set "owner/name" on the Hub.

    Rows of the v5 form stay as they are, older ones get what they lack. Raises UserError if nothing can be read; a row
    that cannot be graded is a BadRow with the code not_a_row, missing_field, unsafe_name, no_tests, unknown_repository,
    unknown_parser or double_id.
    """
    rows, seen = Rows([], []), set()
    for number, raw in enumerate(raw_rows(source, split, "evaluate.rows"), 1):
        where = f"{source} row {number}"
        made = normalise(raw, where)
        if isinstance(made, dict) and made["instance_id"] in seen:
            made = BadRow(where, "double_id", f"{made['instance_id']} occurs twice")
        if isinstance(made, BadRow):
            rows.bad.append(made)
        else:
            seen.add(made["instance_id"])
            rows.good.append(made)
    return rows


def normalise(raw: Any, where: str) -> Row | BadRow:
    """Return a row in the v5 form, or why it cannot be graded."""
    if not isinstance(raw, dict):
        return BadRow(where, "not_a_row", "this is no SWE-bench row")
    if lacking := [key for key in TEXTS if not isinstance(raw.get(key), str)]:
        return BadRow(where, "missing_field", f"{lacking[0]} is missing or not a text")
    if unsafe := [key for key, pattern in SAFE.items() if not pattern.fullmatch(raw[key])]:
        return BadRow(where, "unsafe_name", f"{unsafe[0]} {raw[unsafe[0]][:80]!r} is no name")
    where = f"{where} ({raw['instance_id']})"
    try:
        count = sum(len(test_names(raw.get(key))) for key in TESTS)
    except (ValueError, TypeError, RecursionError):
        return BadRow(where, "missing_field", "FAIL_TO_PASS or PASS_TO_PASS is not a list of names")
    if not count:
        return BadRow(where, "no_tests", "it has no tests, so any patch would resolve it")
    return _completed({**raw, "split": raw.get("split") or SPLIT}, where)


def test_names(value: Any) -> list[str]:
    """Return a list of tests, which SWE-bench writes as a JSON text or as a list. Raises ValueError, TypeError."""
    names = list(json.loads(value) if isinstance(value, str) else value if value is not None else [])
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a test is not a text")
    return names


def _completed(row: Row, where: str) -> Row | BadRow:
    """Add what only rows of the v5 form carry."""
    if any(not isinstance(row.get(key), str) for key in HARNESS):
        spec = find_spec(row["repo"], row["version"])
        if spec is None:
            return BadRow(where, "unknown_repository", f"no test command is known for {row['repo']} {row['version']}")
        made = {"image": image_of(row["instance_id"]), "log_parser": spec.log_parser, "eval_type": "pass_and_fail"}
        row = {**row, **{key: row[key] if isinstance(row.get(key), str) else value for key, value in made.items()}}
        if not isinstance(row.get("eval_script"), str):
            row["eval_script"] = eval_script(row, spec)
    if row["log_parser"] not in known_parsers() and row["log_parser"] not in _all_parsers():
        return BadRow(where, "unknown_parser", f"swebench has no log parser {row['log_parser']}")
    return row


def image_of(instance_id: str) -> str:
    """Return the name of an instance's official image."""
    return f"swebench/sweb.eval.x86_64.{instance_id.lower().replace('__', '_1776_')}:latest"


def _all_parsers() -> Iterable[str]:
    from swebench.harness.log_parsers import PARSER_REGISTRY  # takes two seconds: it imports docker and datasets

    return PARSER_REGISTRY
