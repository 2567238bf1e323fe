"""Rows as they come: of a file, or of a data set on the Hugging Face Hub."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.errors import UserError


def raw_rows(source: Path | str, split: str, setting: str, subset: str | None = None) -> Iterator[Any]:
    """Yield the rows of a .json, .jsonl, .jsonl.gz or .parquet file, or of the data set "owner/name" on the Hub.

    `setting` is the key of the config that names the source; `subset` is the configuration of a data set. A broken
    line of JSON Lines is None. Raises UserError if nothing can be read.
    """
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
            yield from _hub(str(source), split, subset)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; correct {setting}") from None
    except (OSError, EOFError, zlib.error, ValueError, TypeError, RecursionError, pa.ArrowException) as error:
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
    except (ValueError, RecursionError):
        return None


def _hub(name: str, split: str, subset: str | None) -> Iterator[Any]:
    if name.count("/") != 1 or name.startswith("."):
        raise UserError(f"{name} is neither a .json, .jsonl, .jsonl.gz or .parquet file nor a data set owner/name")
    try:
        from datasets import load_dataset
    except ImportError:
        raise UserError(f"{name} is on the Hub, which needs `pip install datasets`; or name a file of rows") from None
    try:
        yield from load_dataset(name, subset, split=split)
    except Exception as error:  # it raises what its many back ends raise
        raise UserError(f"{name} cannot be had from the Hub: {str(error).partition(chr(10))[0]}") from None
