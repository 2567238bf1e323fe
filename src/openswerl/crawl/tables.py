"""Arrow batches to the Parquet file of a record type, with the same row groups whatever the batches were."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.files import replacing
from openswerl.parquet import COMPRESSION, ROW_GROUP, arrow_schema


def write_tables(path: Path, tables: Iterable[pa.Table], kind: type[msgspec.Struct]) -> int:
    """Write tables one after another, atomically, and return the number of rows."""
    schema, count = arrow_schema(kind), 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, **COMPRESSION) as writer:
        for table in _groups(table.cast(schema) for table in tables):
            writer.write_table(table, ROW_GROUP)
            count += table.num_rows
    return count


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield tables of ROW_GROUP rows, but for the last."""
    waiting: pa.Table | None = None
    for table in tables:
        waiting = table if waiting is None else pa.concat_tables([waiting, table])
        while waiting.num_rows >= ROW_GROUP:
            yield waiting.slice(0, ROW_GROUP).combine_chunks()
            waiting = waiting.slice(ROW_GROUP)
    if waiting is not None and waiting.num_rows:
        yield waiting.combine_chunks()
