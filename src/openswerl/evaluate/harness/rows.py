"""Rows of a benchmark, from a file or the Hugging Face Hub, in the form that swebench 5 takes."""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.errors import UserError
from openswerl.evaluate.harness.evalscript import eval_script
from openswerl.evaluate.harness.specs import find_spec, known_parsers

Row = dict[str, Any]
TEXTS = ("instance_id", "repo", "base_commit", "version", "problem_statement", "patch", "test_patch")
HARNESS = ("image", "eval_script", "log_parser", "eval_type")
TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")
SPLIT = "verified"


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
    that cannot be graded is a BadRow with the code not_a_row, missing_field, no_tests, unknown_repository,
    unknown_parser or double_id.
    """
    rows, seen = Rows([], []), set()
    for number, raw in enumerate(_raw(source, split), 1):
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
    where = f"{where} ({raw['instance_id']})"
    try:
        count = sum(len(test_names(raw.get(key))) for key in TESTS)
    except (ValueError, TypeError):
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


def _raw(source: Path | str, split: str) -> Iterator[Any]:
    path = Path(source)
    try:
        if path.suffix == ".parquet":
            yield from (row for batch in pq.ParquetFile(path).iter_batches(64) for row in batch.to_pylist())
        elif path.suffix == ".json":
            loaded = json.loads(path.read_text(encoding="utf-8"))
            yield from loaded.values() if isinstance(loaded, dict) else loaded
        elif path.name.endswith((".jsonl", ".jsonl.gz")):
            yield from read_lines(path)
        else:
            yield from _hub(str(source), split)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; correct evaluate.rows") from None
    except (OSError, EOFError, zlib.error, ValueError, TypeError, pa.ArrowException) as error:
        raise UserError(f"{path} cannot be read ({str(error).splitlines()[0]}); get the file again") from None


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the documents of a JSON Lines file, .gz or not, None for a broken line.

    Raises OSError, EOFError and zlib.error.
    """
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from (_document(line) for line in file if line.strip())


def _document(line: str) -> Any:
    """Return the document of one line, None for a broken one: it costs that row, not the file."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def _hub(name: str, split: str) -> Iterator[Any]:
    if name.count("/") != 1 or name.startswith("."):
        raise UserError(f"{name} is neither a .json, .jsonl, .jsonl.gz or .parquet file nor a data set owner/name")
    try:
        from datasets import load_dataset
    except ImportError:
        raise UserError(f"{name} is on the Hub, which needs `pip install datasets`; or name a file of rows") from None
    try:
        yield from load_dataset(name, split=split)
    except Exception as error:  # it raises what its many back ends raise
        raise UserError(f"{name} cannot be had from the Hub: {str(error).partition(chr(10))[0]}") from None
