import json

import pyarrow.parquet as pq
import pytest

from archive.hours import comment_event, dumps, pull_event, push_event, read, write_hour
from openswerl.archive import hour
from openswerl.archive.columns import EVENTS
from openswerl.archive.hour import finished, make_hour
from openswerl.files import read_jsonl


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hours").mkdir()
    return tmp_path / "hours"


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_rows_are_those_of_the_reader_in_groups_of_200(tmp_path, folder):
    events = [pull_event(n, labels=[{"name": "a"}]) if n % 2 else comment_event(n) for n in range(1, 502)]
    path = write_hour(tmp_path / "2015-01-01-0.json.gz", *events, push_event(1))
    made = make_hour(path, folder)
    file = pq.ParquetFile(folder / "2015-01-01-0.parquet")
    assert file.schema_arrow.remove_metadata() == EVENTS
    assert file.read().to_pylist() == read(path)[0]
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [200, 200, 101]
    codecs = {file.metadata.row_group(0).column(n).compression for n in range(file.metadata.num_columns)}
    assert codecs == {"ZSTD"}
    assert (made.account.kept, made.account.other_events) == (501, 1)
    assert finished(path, folder) == made


def test_same_input_same_bytes(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", *(pull_event(n) for n in range(1, 300)), b"torn")
    make_hour(path, folder)
    first = bytes_of(folder)
    for name in first:
        (folder / name).unlink()
    make_hour(path, folder)
    assert bytes_of(folder) == first
    assert first.keys() == {"h.parquet", "h.quarantine.jsonl"}


def test_texts_are_redacted_and_counted(tmp_path, folder):
    mail, token = "jane.doe@gmail.com", "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    path = write_hour(tmp_path / "h.json.gz", pull_event(1, title=mail, body=f"x {token} {mail}"), comment_event(2))
    made = make_hour(path, folder)
    row = pq.read_table(folder / "h.parquet").to_pylist()[0]
    assert mail not in row["title"] + row["body"] and token not in row["body"]
    assert (made.emails, made.secrets) == (2, 1)


def test_a_finished_hour_is_not_read_again(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    first = make_hour(path, folder)
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert make_hour(path, folder) == first
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    assert first.account.quarantine == {"not_json": 1}
    assert read_jsonl(folder / "h.quarantine.jsonl")[0]["reason"] == "not_json"


def test_pitfall_07_a_rewritten_file_is_read_again(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    first = make_hour(path, folder)
    write_hour(path, pull_event(2))
    second = make_hour(path, folder)
    assert (first.sha256 != second.sha256, second.account.quarantine) == (True, {})
    assert pq.read_table(folder / "h.parquet")["number"].to_pylist() == [2]
    assert (folder / "h.quarantine.jsonl").read_bytes() == b""


@pytest.mark.parametrize("harm", ["truncate", "version", "no_metadata", "no_quarantine", "no_parquet"])
def test_what_is_not_a_finished_hour_is_made_again(tmp_path, folder, harm, monkeypatch):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    parquet, quarantine = folder / "h.parquet", folder / "h.quarantine.jsonl"
    make_hour(path, folder)
    whole = bytes_of(folder)
    if harm == "truncate":
        parquet.write_bytes(parquet.read_bytes()[:-100])
    elif harm == "no_metadata":
        pq.write_table(pq.read_table(parquet), parquet)
    elif harm == "no_quarantine":
        quarantine.unlink()
    elif harm == "no_parquet":
        parquet.unlink()
    else:
        with monkeypatch.context() as patch:
            patch.setattr(hour, "VERSION", 0)
            assert finished(path, folder) is None
            make_hour(path, folder)
            assert bytes_of(folder) != whole
    assert finished(path, folder) is None
    make_hour(path, folder)
    assert bytes_of(folder) == whole


def test_a_failed_hour_leaves_nothing(tmp_path, folder):
    with pytest.raises(FileNotFoundError):
        make_hour(tmp_path / "absent.json.gz", folder)
    assert list(folder.iterdir()) == []


def test_quarantine_rows_are_ascii_json(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", '{"é\u2028'.encode(), dumps(push_event(1)))
    make_hour(path, folder)
    [line] = (folder / "h.quarantine.jsonl").read_bytes().splitlines()
    assert json.loads(line.decode("ascii"))["length"] == 7
