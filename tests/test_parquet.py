import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.parquet import read_parquet
from openswerl.records import Blob, Instance, Issue, PullRequest, SourceFile
from parquet_files import write_parquet

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FILES = st.lists(st.builds(SourceFile, TEXT, TEXT), max_size=3)
INSTANCES = st.lists(st.builds(Instance, TEXT, TEXT, TEXT, TEXT, FILES, FILES, FILES, TEXT), max_size=4)


@settings(deadline=None)
@given(instances=INSTANCES)
def test_instances_come_back(tmp_path_factory, instances):
    path = tmp_path_factory.mktemp("records") / "instances.parquet"
    write_parquet(path, instances, Instance)
    assert read_parquet(path, Instance) == instances


@settings(deadline=None)
@given(blobs=st.lists(st.builds(Blob, TEXT, TEXT | st.none()), max_size=4))
def test_blobs_come_back_with_binary_ones_as_none(tmp_path_factory, blobs):
    path = tmp_path_factory.mktemp("records") / "blobs.parquet"
    write_parquet(path, blobs, Blob)
    assert read_parquet(path, Blob) == blobs


def test_an_empty_list_keeps_the_columns(tmp_path):
    write_parquet(tmp_path / "a.parquet", [], PullRequest)
    assert pq.read_table(tmp_path / "a.parquet").column_names == list(PullRequest.__struct_fields__)
    assert read_parquet(tmp_path / "a.parquet", PullRequest) == []


def test_equal_records_are_equal_bytes(tmp_path):
    blobs = [Blob(str(number), "x" * number) for number in range(500)]
    for name in ("a", "b"):
        write_parquet(tmp_path / name, blobs, Blob)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert pq.ParquetFile(tmp_path / "a").num_row_groups == 3


def test_another_kind_of_record_is_refused(tmp_path):
    write_parquet(tmp_path / "a.parquet", [Blob("1", None)], Blob)
    with pytest.raises(UserError, match=r"a\.parquet does not hold Issue records: .*`repo`"):
        read_parquet(tmp_path / "a.parquet", Issue)


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_text("not parquet")
    with pytest.raises(UserError, match=r"a\.parquet is damaged: .*; delete it"):
        read_parquet(tmp_path / "a.parquet", Blob)


@pytest.mark.parametrize("length", [0, 3, 500, -9])
def test_a_file_cut_short_is_refused_in_one_line(tmp_path, length):
    path = tmp_path / "a.parquet"
    write_parquet(path, [Blob(str(number), "x" * number) for number in range(500)], Blob)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(UserError, match=r"a\.parquet is damaged: [^\n]*; delete it and run again$"):
        read_parquet(path, Blob)


def test_a_flipped_page_is_refused_in_one_line(tmp_path):
    path = tmp_path / "a.parquet"
    write_parquet(path, [Blob(str(number), "x" * number) for number in range(500)], Blob)
    data = bytearray(path.read_bytes())
    data[40:400] = bytes(255 - value for value in data[40:400])
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match=r"^[^\n]*a\.parquet is damaged: [^\n]*$"):
        read_parquet(path, Blob)


def test_a_missing_file_names_the_command(tmp_path):
    with pytest.raises(UserError, match=r"a\.parquet is missing; remake it with: snakemake"):
        read_parquet(tmp_path / "a.parquet", Blob)
