"""Records as Parquet: zstd, row groups of 200, a schema that follows from the record type, atomic writes, streams."""

import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.errors import UserError
from openswerl.files import replacing

R = TypeVar("R", bound=msgspec.Struct)
ROW_GROUP = 200
# Without statistics, which for text are text again: a fifth of a file with small row groups.
COMPRESSION: dict[str, Any] = {"compression": "zstd", "compression_level": 9, "write_statistics": False}
PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def arrow_schema(kind: type[msgspec.Struct]) -> pa.Schema:
    """Return the columns of a record type: str, int, float, bool, lists, records, and each of them or None."""
    return pa.schema(_fields(kind))


def _fields(kind: type[msgspec.Struct]) -> list[pa.Field]:
    return [
        pa.field(name, _arrow(hint), nullable=_optional(hint)) for name, hint in typing.get_type_hints(kind).items()
    ]


def _arrow(hint: Any) -> pa.DataType:
    if hint in PLAIN:
        return PLAIN[hint]
    if typing.get_origin(hint) is list:
        return pa.list_(_arrow(typing.get_args(hint)[0]))
    if _optional(hint):
        return _arrow(next(part for part in typing.get_args(hint) if part is not types.NoneType))
    return pa.struct(_fields(hint))


def _optional(hint: Any) -> bool:
    return types.NoneType in typing.get_args(hint)


class ParquetSink:
    """A Parquet file that is written row by row and appears when the block ends without an error."""

    def __init__(self, path: Path, kind: type[msgspec.Struct]) -> None:
        self.path, self.schema, self.count = path, arrow_schema(kind), 0
        self.waiting: list[dict[str, Any]] = []
        self.stack = ExitStack()

    def __enter__(self) -> Self:
        temporary = self.stack.enter_context(replacing(self.path))
        self.writer = self.stack.enter_context(pq.ParquetWriter(temporary, self.schema, **COMPRESSION))
        return self

    def __exit__(self, *failure: Any) -> None:
        if failure[0] is None:
            self._flush()
        self.stack.__exit__(*failure)

    def write(self, row: msgspec.Struct) -> None:
        """Add one record."""
        self.waiting.append(msgspec.to_builtins(row))
        self.count += 1
        if len(self.waiting) == ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self.waiting:
            self.writer.write_table(pa.Table.from_pylist(self.waiting, self.schema), ROW_GROUP)
            self.waiting = []


def write_tables(path: Path, tables: Iterable[pa.Table], kind: type[msgspec.Struct]) -> int:
    """Write tables one after another, atomically, and return the number of rows. Their sizes leave no trace."""
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


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file. Raises UserError if it is missing or damaged, also where that shows while it is read."""
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:  # a buffer would keep what was read
            yield file
    except FileNotFoundError:
        raise UserError(f"{path} is missing; remake it with: snakemake --cores all --forcerun STAGE") from None
    except (pa.ArrowInvalid, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise UserError(f"{path} is damaged: {str(error).splitlines()[0]}; delete it and run again") from None


def iter_parquet(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield records, one row group in memory at a time.

    Raises UserError naming file and field if the file does not fit `kind`; else as `open_parquet` does.
    """
    with open_parquet(path) as file:
        for batch in file.iter_batches(batch_size=ROW_GROUP):
            columns = [column.to_pylist() for column in batch.columns]  # four times as fast as batch.to_pylist()
            rows = [dict(zip(batch.schema.names, values, strict=True)) for values in zip(*columns, strict=True)]
            try:
                yield from msgspec.convert(rows, list[kind])  # type: ignore[valid-type]
            except msgspec.ValidationError as error:
                raise UserError(
                    f"{path} does not hold {kind.__name__} records: {error}; delete it and run again"
                ) from None


def read_parquet(path: Path, kind: type[R]) -> list[R]:
    """Read records back, type-checked. Raises UserError as `iter_parquet` does."""
    return list(iter_parquet(path, kind))
