import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openswerl.parquet import ROW_GROUP, arrow_schema, read_parquet, write_tables
from parquet_files import write_parquet


class Record(msgspec.Struct):
    name: str
    numbers: list[int]
    known: bool | None


RECORDS = [Record(str(n), list(range(n % 3)), None if n % 2 else True) for n in range(2 * ROW_GROUP + 17)]


@pytest.mark.parametrize("step", [1, 30, ROW_GROUP, 199, 1000])
def test_the_bytes_do_not_depend_on_the_batches(tmp_path, step):
    whole = pa.Table.from_pylist([msgspec.to_builtins(record) for record in RECORDS], arrow_schema(Record))
    tables = [whole.slice(start, step) for start in range(0, len(RECORDS), step)]
    assert write_tables(tmp_path / "a.parquet", tables, Record) == len(RECORDS)
    assert read_parquet(tmp_path / "a.parquet", Record) == RECORDS
    write_parquet(tmp_path / "b.parquet", RECORDS, Record)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    with pq.ParquetFile(tmp_path / "a.parquet") as file:
        groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    assert groups == [ROW_GROUP, ROW_GROUP, 17]


def test_no_table_is_an_empty_file(tmp_path):
    assert write_tables(tmp_path / "a.parquet", [], Record) == 0
    assert read_parquet(tmp_path / "a.parquet", Record) == []


def test_an_error_leaves_no_file(tmp_path):
    def tables():
        yield pa.Table.from_pylist([], arrow_schema(Record))
        raise KeyError

    with pytest.raises(KeyError):
        write_tables(tmp_path / "a.parquet", tables(), Record)
    assert list(tmp_path.iterdir()) == []
