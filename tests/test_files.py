import json
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.files import read_jsonl, remove_leftovers, replacing, write_json, write_jsonl, write_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def test_an_error_keeps_the_old_file_and_leaves_no_other(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text("half")
        _ = 1 / 0
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    code = """
import os, signal, sys
from pathlib import Path
from openswerl.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)])
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_leftovers_are_removed_at_any_depth_and_nothing_else(tmp_path):
    kept = [tmp_path / name for name in (".lock", ".a.tmp", "a.1.tmp", ".a.1x.tmp", "work/.hidden/b.tmp")]
    gone = [tmp_path / name for name in (".a.json.12.tmp", "work/.b.parquet.7.tmp", "work/.hidden/.c.1.tmp")]
    for path in [*kept, *gone, tmp_path / ".policy.3.tmp/.d.4.tmp"]:
        write_text(path, "x")
    (tmp_path / "away").mkdir()
    (tmp_path / ".link.5.tmp").symlink_to(tmp_path / "away")
    remove_leftovers(tmp_path)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(kept)
    assert (tmp_path / "away").is_dir() and not (tmp_path / ".link.5.tmp").is_symlink()
    assert not (tmp_path / ".policy.3.tmp").exists()


def test_folders_are_made_and_bytes_are_kept(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "one\r\ntwo\u2028ü")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "one\r\ntwo\u2028ü".encode()


def test_equal_data_are_equal_bytes(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": [2.5, None]})
    write_json(tmp_path / "b.json", {"a": [2.5, None], "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": [2.5, None], "b": 1}


@given(rows=st.lists(st.dictionaries(TEXT, TEXT | st.integers() | st.none() | st.lists(TEXT))))
def test_rows_come_back_whatever_line_ends_they_hold(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_jsonl(path, rows)
    assert read_jsonl(path) == rows


def test_a_missing_file_has_no_rows(tmp_path):
    assert read_jsonl(tmp_path / "none.jsonl") == []
