"""The parts of the join as files of the stage. What is large is streamed, and parts leave no trace in the order."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.crawl import SQL
from openswerl.crawl.parts import Part
from openswerl.database import Database, database
from openswerl.parquet import write_tables
from openswerl.records import Blob, PullRequest

BLOB_SHARE = 1 / 8  # of the memory is for the contents that are sorted at once


def merge_pull_requests(parts: Sequence[Part], path: Path) -> int:
    """Write the pull requests of all parts, in order, and return how many there are."""
    return write_tables(path, (pq.read_table(part.pull_requests) for part in parts), PullRequest)


def merge_blobs(parts: Sequence[Part], path: Path, scratch: Path, memory_mb: int) -> int:
    """Write each blob once, sorted by id, and return how many there are."""
    files = [part.blobs for part in parts]
    if not files:
        return write_tables(path, [], Blob)
    with database(scratch / "database", memory_mb, SQL) as data:
        data.load(files)
        data.script("blob_choices")
        data.gather("blobs")
        return write_tables(path, _sorted_blobs(data), Blob)


def _sorted_blobs(data: Database) -> Iterator[pa.Table]:
    [(rows, size)] = data.rows("SELECT count(*), coalesce(sum(size), 0) FROM blob_choices")
    stretches = 1 + int(size / (data.memory_mb * 1e6 * BLOB_SHARE))
    step = 1 + rows // stretches
    query = "SELECT * EXCLUDE (rank) FROM blobs WHERE rank >= $start AND rank < $stop ORDER BY rank"
    for start in range(0, rows, step):
        yield data.table(query, start=start, stop=start + step)
