"""One hour file to one Parquet file. A finished hour is not read again, and what it cost is not forgotten."""

import hashlib
import json
import sys
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.archive.account import Account
from openswerl.archive.events import Bad, HourReader
from openswerl.archive.table import HourTable
from openswerl.files import replacing

# Bump as the meaning of a row changes: hours of another version are read again.
VERSION = 2
KEY = b"openswerl.hour"
SUFFIX = ".json.gz"
KEPT_FREE = 16 << 20  # bytes
# The environment of a process that reads hours. pyarrow's own pool would keep 25 MB more. glibc gives a freed block of
# text back to the system at once and gets it back page by page: up to a third of the reader's time.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(KEPT_FREE),
    "MALLOC_TRIM_THRESHOLD_": str(KEPT_FREE),
}


class Hour(msgspec.Struct, frozen=True):
    """What the Parquet file of an hour says of itself; together with its quarantine file it is the whole result."""

    version: int
    file: str
    sha256: str
    account: Account
    emails: int
    secrets: int


def make_hour(path: Path, folder: Path) -> Hour:
    """Write <stem>.parquet and, before it, <stem>.quarantine.jsonl, unless they hold this very file already."""
    hour = finished(path, folder)
    return hour if hour and hour.sha256 == _digest(path) else _make(path, folder)


def keep_small() -> None:
    """Keep pandas out of this process: pyarrow would load it, 50 MB, to ask whether a list is one of its series."""
    sys.meta_path.insert(0, _NoPandas())


class _NoPandas:
    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is kept out of the processes that read hours")


def stem(path: Path) -> str:
    """Return the hour's name: 2015-01-01-0 of 2015-01-01-0.json.gz."""
    return path.name.removesuffix(SUFFIX)


def parquet_file(path: Path, folder: Path) -> Path:
    """Return where the rows of an hour file go."""
    return folder / f"{stem(path)}.parquet"


def quarantine_file(path: Path, folder: Path) -> Path:
    """Return where the unusable stretches of an hour file go."""
    return folder / f"{stem(path)}.quarantine.jsonl"


def finished(path: Path, folder: Path) -> Hour | None:
    """Return what stands in the Parquet file of this hour; None if there is none, or one of another version."""
    if not quarantine_file(path, folder).exists():
        return None
    try:
        metadata = pq.read_metadata(parquet_file(path, folder)).metadata or {}
        hour = msgspec.json.decode(metadata.get(KEY, b""), type=Hour)
    except (OSError, pa.ArrowInvalid, msgspec.MsgspecError):
        return None
    return hour if (hour.version, hour.file) == (VERSION, path.name) else None


def _make(path: Path, folder: Path) -> Hour:
    reader = HourReader(path)
    with (
        replacing(parquet_file(path, folder)) as parquet,
        replacing(quarantine_file(path, folder)) as quarantine,
        HourTable(parquet) as table,
        quarantine.open("wb") as file,
    ):
        sha256 = table.thread.submit(_digest, path)
        for rows in reader.batches():
            table.add(rows)
            file.writelines(map(_line, reader.take_bad()))
        file.writelines(map(_line, reader.take_bad()))
        table.finish()
        if not reader.account.balanced:
            raise AssertionError(f"{path}: bytes do not add up: {reader.account}")
        hour = Hour(VERSION, path.name, sha256.result(), reader.account, table.emails, table.secrets)
        table.describe({KEY: msgspec.json.encode(hour)})
    return hour


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; of one that cannot be read, nothing."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _line(bad: Bad) -> bytes:
    return json.dumps(msgspec.to_builtins(bad), sort_keys=True).encode() + b"\n"
