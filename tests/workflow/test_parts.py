"""An evaluation in parts by Snakemake, against the same one in one piece."""

import json

import pytest


@pytest.mark.slow
def test_the_graph_splits_an_evaluation_and_its_result_is_the_same(project):
    found = {}
    for results, overrides in (("whole", "parts=1"), ("parts", "parts=2")):
        folder = f"{results}/smoke/evaluate/base/seed0"
        config = ("--config", "scale=smoke", f"results={results}", f"overrides={overrides}")
        done = project.snakemake(f"{folder}/result.json", *config)
        assert done.returncode == 0, done.stdout + done.stderr
        result = json.loads((project.path / folder / "result.json").read_text())
        found[results] = {key: value for key, value in result.items() if key not in ("executed", "cached")}
    assert found["whole"] == found["parts"] and found["whole"]["mini"]
    assert len(list(project.path.glob("parts/smoke/answer/*/seed0/*-of-2/result.json"))) == 6
    assert not list(project.path.glob("parts/**/work-*"))
