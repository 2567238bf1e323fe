"""What others read: JSON Lines with a published schema, and Parquet for the datasets library."""

import json

import jsonschema
import pytest

from openswerl.relate.export import SCHEMA, schema_text
from relate.seeds import World, run_relate


@pytest.fixture
def exported(tmp_path):
    world = World(tmp_path)
    world.pull(1, {"pkg/a.py": "import pkg.b\nx = 2\n"})
    world.pull(2, {"pkg/a.py": "x = 'é\\u2028'\n", "pkg/new.py": "w = 1\n"}, issues=[], body="Mend x")
    world.write()
    return tmp_path / "relate", run_relate(tmp_path)[1]


def test_the_published_schema_is_the_records():
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "run: python -m openswerl.relate.export"


def test_every_row_is_valid_and_a_wrong_one_is_not(exported):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    rows = [json.loads(line) for line in (exported[0] / "instances.jsonl").read_text().splitlines()]
    assert len(rows) == 2
    for row in rows:
        validator.validate(row)
        for key in row:
            assert not validator.is_valid({other: row[other] for other in row if other != key}), key
        assert not validator.is_valid(row | {"extra": 1})
        assert not validator.is_valid(row | {"number": "7"})
        assert not validator.is_valid(row | {"changed_files": [{"path": "a.py"}]})


def test_the_datasets_library_loads_the_parquet_file(exported, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset

    folder, instances = exported
    files = str(folder / "instances.parquet")
    found = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert found["instance_id"] == [instance.instance_id for instance in instances]
    for row, instance in zip(found, instances, strict=True):
        assert row["changed_files"] == [{"path": f.path, "content": f.content} for f in instance.changed_files]
        assert row["provenance"]["head_commit"] == instance.provenance.head_commit
        assert (row["number"], row["links"]) == (instance.number, instance.links)
    lines = load_dataset(
        "json", data_files=str(folder / "instances.jsonl"), split="train", cache_dir=str(tmp_path / "c")
    )
    assert set(lines.column_names) == set(found.column_names)
    assert lines["golden_patch"] == found["golden_patch"]
