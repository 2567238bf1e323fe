"""What `files.json` guards: each file of a result, in every way in which a disk or a hand may change one."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.result_files import bring_to_now, discard, fault, write_result

FILES = {"rows.jsonl": b'{"a": 1}\n', "policy/model.safetensors": bytes(range(256)), "hours/a b\u00fc.parquet": b"PAR1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for name in (".lock", "policy/.snakemake_timestamp", "wandb/run.wandb", "work-abc/step1", "tensorboard/events"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    write_result(tmp_path, {"digest": "d", "rate": 0.25})
    return tmp_path


def flip_each_bit(data: bytes) -> list[bytes]:
    return [data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] for i in range(len(data)) for bit in range(8)]


def truncations(data: bytes) -> list[bytes]:
    return [data[:length] for length in range(len(data))]


def test_what_was_written_has_no_fault(folder):
    assert fault(folder) is None


@pytest.mark.parametrize("name", [*FILES, "result.json", "files.json"])
@pytest.mark.parametrize("harm", [flip_each_bit, truncations])
def test_every_flipped_bit_and_every_truncation_is_found(folder, name, harm: Callable[[bytes], list[bytes]]):
    path, count = folder / name, 0
    whole = path.read_bytes()
    for data in harm(whole):
        path.write_bytes(data)
        # A flip in a name or a sum of files.json shows as a damaged file; white space of it is no content.
        assert fault(folder) is not None or (name == "files.json" and data.split() == whole.split()), data
        count += 1
    assert count >= 4
    path.write_bytes(whole)
    assert fault(folder) is None


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: (path.unlink(), path.mkdir())])
@pytest.mark.parametrize("name", [*FILES, "files.json"])
def test_what_is_gone_or_a_folder_is_named(folder, name, harm):
    harm(folder / name)
    if name == "files.json" and (folder / name).is_dir():
        pytest.skip("the system's own error")
    assert str(folder / name) in str(fault(folder))


def test_mirrors_checkpoints_and_marks_may_change(folder):
    for name in (".lock", "policy/.snakemake_timestamp", "wandb/run.wandb", "tensorboard/events"):
        (folder / name).write_text("more")
    shutil.rmtree(folder / "work-abc")
    assert fault(folder) is None


def test_a_folder_that_nobody_reads_may_be_damaged(folder):
    (folder / "policy/model.safetensors").write_bytes(b"")
    assert fault(folder, ("policy",)) is None
    assert fault(folder) == f"{folder / 'policy/model.safetensors'} is not what was written"


def test_of_an_earlier_result_only_what_is_damaged_goes(folder):
    (folder / "rows.jsonl").write_bytes(b"x")
    discard(folder)
    assert not any((folder / name).exists() for name in ("result.json", "files.json", "rows.jsonl"))
    assert (folder / "policy/model.safetensors").read_bytes() == FILES["policy/model.safetensors"]
    assert (folder / "work-abc/step1").exists()


@pytest.mark.parametrize("record", [b"", b"[]", None])
def test_without_a_record_nothing_of_a_result_is_trusted(folder, record):
    (folder / "files.json").unlink() if record is None else (folder / "files.json").write_bytes(record)
    discard(folder)
    assert not any((folder / name).exists() for name in FILES)
    assert (folder / "work-abc/step1").exists()


def test_what_a_killed_run_left_is_kept(folder):
    """Without a result there is none to distrust: hours that were read stay read."""
    for name in ("result.json", "files.json"):
        os.unlink(folder / name)
    discard(folder)
    assert all((folder / name).read_bytes() == data for name, data in FILES.items())


def test_what_is_of_the_future_is_of_now(folder):
    now, paths = time.time(), sorted(folder.rglob("*"))
    moments = dict(zip(paths, (now + step for step in (86400, -86400, 1e9, -1e9, 30) * len(paths)), strict=False))
    for path, moment in moments.items():
        os.utime(path, (moment, moment))
    bring_to_now(folder)
    for path, moment in moments.items():
        found = path.stat().st_mtime
        assert found == pytest.approx(moment, abs=1e-3) if moment < now + 60 else now <= found <= time.time(), path
    assert fault(folder) is None
