"""A DuckDB database in a scratch folder: memory is capped, and what does not fit goes to disk."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from openswerl.errors import UserError
from openswerl.workers import workers

MB_PER_THREAD = 125
SHARE = 0.6  # of the memory is DuckDB's by its own count, which leaves out what its allocator and Arrow hold
BATCH_BYTES_PER_MB = 30_000  # compressed Parquet for each MB of memory


class Database:
    """One connection, and the folder of the SQL scripts that are run on it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, memory_mb: int, scripts: Path) -> None:
        self.connection, self.memory_mb, self.scripts = connection, memory_mb, scripts

    def limit(self, share: float) -> None:
        """Leave DuckDB a share of the memory."""
        self.rows(f"SET memory_limit = '{int(self.memory_mb * share)}MB'")

    def load(self, files: Sequence[Path]) -> None:
        """Make `events` the view of these Parquet files, and `batch` of some of them that fit in memory together."""
        self.batches = list(_batches(files, self.memory_mb * BATCH_BYTES_PER_MB))
        for view, found in (("events", files), ("batch", self.batches[0])):
            self.rows(f"SET VARIABLE {view} = $files", files=[str(path) for path in found])
            self.rows(f"CREATE VIEW {view} AS FROM read_parquet(getvariable('{view}'))")

    def gather(self, table: str) -> None:
        """Fill a table with what the script <table>.sql selects from one batch after another."""
        query = (self.scripts / f"{table}.sql").read_text(encoding="utf-8")
        for number, batch in enumerate(self.batches):
            self.rows("SET VARIABLE batch = $files", files=[str(path) for path in batch])
            self.rows(f"INSERT INTO {table} {query}" if number else f"CREATE TABLE {table} AS {query}")

    def script(self, name: str, **words: str) -> None:
        """Run the script <name>.sql with its {words} filled in."""
        self.connection.execute((self.scripts / f"{name}.sql").read_text(encoding="utf-8").format_map(words))

    def table(self, query: str, **values: Any) -> pa.Table:
        """Return the result of a query that fits in memory; the query may name a script instead, such as x.sql."""
        text = (self.scripts / query).read_text(encoding="utf-8") if query.endswith(".sql") else query
        return self.connection.sql(text, params=values).to_arrow_table()

    def stream(self, query: str, rows: int) -> Iterator[pa.Table]:
        """Yield the result of a query, some rows at a time."""
        for batch in self.connection.sql(query).to_arrow_reader(rows):
            yield pa.Table.from_batches([batch])

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query, for small results."""
        return self.connection.execute(query, values or None).fetchall()

    def count(self, query: str) -> int:
        """Return the number of rows of a query that starts with FROM."""
        return int(self.rows(f"SELECT count(*) {query}")[0][0])


@contextmanager
def database(folder: Path, memory_mb: int, scripts: Path = Path()) -> Iterator[Database]:
    """Open an empty database in `folder`, deleted at the end. The whole process should stay below `memory_mb`.

    Raises UserError if neither memory nor disk is enough.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    threads = max(1, min(workers(), memory_mb // MB_PER_THREAD))
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{int(memory_mb * SHARE)}MB",
        "threads": threads,
        "temp_directory": str(folder / "spill"),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
    }
    try:
        with duckdb.connect(folder / "data.duckdb", config=settings) as connection:
            yield Database(connection, memory_mb, scripts)
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        message = str(error).strip().partition("\n")[0]
        raise UserError(f"{folder}: {message} (memory_mb={memory_mb}); raise it or make room, and run again") from None
    shutil.rmtree(folder)


def _batches(files: Sequence[Path], limit: int) -> Iterator[list[Path]]:
    """Split files into groups of about `limit` bytes."""
    batch: list[Path] = []
    size = 0
    for path in files:
        if batch and size + path.stat().st_size > limit:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += path.stat().st_size
    yield batch
