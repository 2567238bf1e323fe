"""Records to a Parquet file in one call."""

from openswerl.parquet import ParquetSink


def write_parquet(path, rows, kind):
    with ParquetSink(path, kind) as sink:
        for row in rows:
            sink.write(row)
