import pytest
from omegaconf import OmegaConf

from openswerl.archive.sources import clones_folder, hour_files, local_files
from openswerl.errors import UserError


def local(**keys):
    return OmegaConf.create({"source": "local", "path": None, "clones": None} | keys)


@pytest.mark.parametrize("value", [None, "nowhere"])
def test_a_folder_that_is_not_given_or_not_there_is_named(value):
    with pytest.raises(UserError, match=rf"data\.path={value} is not a folder; see docs"):
        hour_files(local(path=value), {})
    with pytest.raises(UserError, match=rf"data\.clones={value} is not a folder; see docs"):
        clones_folder(local(clones=value), {})


def test_a_folder_without_hour_files_is_named(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UserError, match=r"holds no \*\.json\.gz"):
        hour_files(local(path=str(tmp_path)), {})


def test_hour_files_of_ones_own_are_known_before_any_stage_runs(tmp_path):
    for name in ("2015-01-01-1.json.gz", "2015-01-01-0.json.gz", "notes.txt"):
        (tmp_path / name).touch()
    expected = [str(tmp_path / f"2015-01-01-{hour}.json.gz") for hour in (0, 1)]
    assert local_files(local(path=str(tmp_path))) == expected
    assert [str(path) for path in hour_files(local(path=str(tmp_path)), {})] == expected
    assert local_files(local()) == local_files(OmegaConf.create({"source": "laptop", "path": str(tmp_path)})) == []


def test_the_laptop_world_has_its_own_folders(tmp_path):
    (tmp_path / "gharchive").mkdir()
    (tmp_path / "repos").mkdir()
    (tmp_path / "gharchive/2023-01-02-0.json.gz").touch()
    data = OmegaConf.create({"source": "laptop"})
    assert hour_files(data, {"laptop": tmp_path}) == [tmp_path / "gharchive/2023-01-02-0.json.gz"]
    assert clones_folder(data, {"laptop": tmp_path}) == tmp_path / "repos"
