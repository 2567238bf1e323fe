"""Rows to Parquet: redacted, zstd, row groups of 200."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.archive.columns import EVENTS
from openswerl.archive.rows import Row
from openswerl.redact import redact

ROW_GROUP = 200
# Level 3 takes a quarter more time and saves 4%. Dictionaries and bounds only where they are of use.
OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": ["file", "type", "action"],
    "write_statistics": ["type", "created_at", "repo_id"],
}
TEXTS = ("title", "body", "comment_body")
# Short, and next to never to be redacted. Ids, shas, times and types are left as they are.
NAMES = (
    *("repo", "actor", "author", "base_ref", "default_branch", "head_ref", "head_repo"),
    *("comment_author", "comment_path"),
)
TEXT_PLACES, NAME_PLACES = (tuple(map(EVENTS.names.index, names)) for names in (TEXTS, NAMES))
LABELS = EVENTS.names.index("labels")


class HourTable:
    """The Parquet file of an hour, written row group by row group; counts what was redacted.

    One thread compresses a row group while the next one is read.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.stack = path, ExitStack()
        self.waiting: list[Row] = []
        self.emails = self.secrets = 0

    def __enter__(self) -> Self:
        self.writer = self.stack.enter_context(pq.ParquetWriter(self.path, EVENTS, **OPTIONS))
        self.thread = self.stack.enter_context(ThreadPoolExecutor(1))
        self.writing = self.thread.submit(lambda: None)
        return self

    def __exit__(self, *failure: Any) -> None:
        self.stack.__exit__(*failure)

    def add(self, rows: list[Row]) -> None:
        """Add rows; all but the last few are written."""
        self.waiting += rows
        while len(self.waiting) >= ROW_GROUP:
            self._write(self.waiting[:ROW_GROUP])
            del self.waiting[:ROW_GROUP]

    def finish(self) -> None:
        """Write the last rows; the counts are complete then."""
        if self.waiting:
            self._write(self.waiting)
        self.waiting = []
        self.writing.result()

    def describe(self, metadata: dict[bytes, bytes]) -> None:
        """Let the file say this of itself; to be called last."""
        self.writer.add_key_value_metadata(metadata)

    def _write(self, rows: list[Row]) -> None:
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        self._redact_columns(columns)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, EVENTS, strict=True)]
        self.writing.result()
        self.writing = self.thread.submit(self.writer.write_batch, pa.RecordBatch.from_arrays(arrays, schema=EVENTS))

    def _redact_columns(self, columns: list[Sequence[Any]]) -> None:
        for place in TEXT_PLACES:
            columns[place] = self._redacted(columns[place])
        for place in NAME_PLACES:
            if not _clean(filter(None, columns[place])):
                columns[place] = [name and self._redact(name) for name in columns[place]]
        if not _clean(chain.from_iterable(filter(None, columns[LABELS]))):
            columns[LABELS] = [labels and [self._redact(label) for label in labels] for labels in columns[LABELS]]

    def _redacted(self, texts: Sequence[str | None]) -> list[str | None]:
        """Redact a column. Texts without an @ are asked for together, as next to none of them holds a secret."""
        clean = _clean(text for text in texts if text and "@" not in text)
        return [text if not text or (clean and "@" not in text) else self._redact(text) for text in texts]

    def _redact(self, text: str) -> str:
        found = redact(text)
        self.emails += found.emails
        self.secrets += found.secrets
        return found.text


def _clean(texts: Iterable[str]) -> bool:
    """Whether there is nothing to redact in any of the texts, asked for together."""
    return not any(redact("\n".join(texts))[1:])
