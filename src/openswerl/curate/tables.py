"""The narrow tables that the first pass writes and the groupings query, as Parquet files that last one run."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.curate import sketches

SKETCH = pa.binary(4 * sketches.VALUES)
SCHEMAS = {
    "rows": pa.schema(
        [
            ("position", pa.int64()),
            ("repo", pa.string()),
            ("number", pa.int64()),
            ("merged_at", pa.string()),
            ("step", pa.string()),  # null: passed all filters
            ("reason", pa.string()),
            ("seed_step", pa.string()),  # null: a seed
            ("seed_reason", pa.string()),
            ("label", pa.string()),
            ("benchmark", pa.string()),
            ("overlap", pa.float64()),
            ("revert", pa.bool_()),
            ("pull_key", pa.int64()),
            ("title_key", pa.int64()),
        ]
    ),
    "keys": pa.schema([("position", pa.int64()), ("kind", pa.string()), ("key", pa.int64())]),
    "sketches": pa.schema([("position", pa.int64()), ("sketch", SKETCH)]),
    "bands": pa.schema([("position", pa.int64()), ("key", pa.int64())]),
}
MAX_ROWS = 10_000
MAX_SHINGLES = 1 << 20  # 8 MiB of hashes


class Tables:
    """Writers of rows, keys, sketches and bands; rows wait in memory until `flush`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack = ExitStack()
        self.rows: list[tuple[Any, ...]] = []
        self.keys: list[tuple[int, str, int]] = []
        self.shingles: list[tuple[int, np.ndarray]] = []
        self.waiting = 0

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.writers = {
            name: self.stack.enter_context(
                pq.ParquetWriter(self.folder / f"{name}.parquet", schema, compression="zstd")
            )
            for name, schema in SCHEMAS.items()
        }
        return self

    def __exit__(self, *failure: Any) -> None:
        if failure[0] is None:
            self.flush()
        self.stack.__exit__(*failure)

    def add_shingles(self, position: int, found: np.ndarray) -> None:
        """Add the hashes of one change."""
        self.shingles.append((position, found))
        self.waiting += len(found)

    @property
    def full(self) -> bool:
        """Whether enough waits: rows, or shingles of large changes."""
        return len(self.rows) >= MAX_ROWS or self.waiting >= MAX_SHINGLES

    def flush(self) -> None:
        """Write what waits."""
        self._write("rows", list(zip(*self.rows, strict=True)))
        self._write("keys", list(zip(*self.keys, strict=True)))
        self._write_sketches()
        self.rows, self.keys, self.shingles, self.waiting = [], [], [], 0

    def _write_sketches(self) -> None:
        if not self.shingles:
            return
        positions = np.array([position for position, _ in self.shingles])
        drawn = sketches.sketch([found for _, found in self.shingles])
        self._write("sketches", [positions, [row.tobytes() for row in drawn]])
        self._write("bands", [np.repeat(positions, sketches.BANDS), sketches.bands(drawn).ravel()])

    def _write(self, name: str, columns: list[Any]) -> None:
        if columns:
            schema = SCHEMAS[name]
            arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
            self.writers[name].write_table(pa.table(arrays, schema=schema))
