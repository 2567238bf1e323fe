"""What is in the artifact of a result, without any run."""

import json

import pytest

from openswerl.config import Cell
from openswerl.stages import STAGES
from openswerl.tracking.artifacts import FILES, inputs_of, result_artifact
from wandb_runs import finish


@pytest.fixture
def trained(tmp_path):
    """A grpo cell under overrides, finished, with weights."""

    def make(*overrides):
        cell = Cell("grpo", ("scale=smoke", f"results={tmp_path}", *overrides))
        (cell.folder / "policy").mkdir(parents=True, exist_ok=True)
        (cell.folder / "policy" / "model.safetensors").write_text("weights")
        (cell.folder / "wandb").mkdir(exist_ok=True)
        finish(cell, steps=3)
        return cell

    return make


def test_weights_are_a_reference(trained):
    cell = trained()
    entries = result_artifact(cell).manifest.entries
    assert entries.keys() == {"result.json", "policy/model.safetensors"}
    place = (cell.folder / "policy" / "model.safetensors").resolve()
    assert entries["policy/model.safetensors"].ref == place.as_uri()
    assert entries["result.json"].ref is None


def test_files_are_in_it_only_if_the_stage_is_named(trained):
    cell = trained("tracking.upload=[grpo]")
    entry = result_artifact(cell).manifest.entries["policy/model.safetensors"]
    assert entry.ref is None and entry.local_path == str((cell.folder / "policy" / "model.safetensors").resolve())


def test_another_result_is_another_version(trained):
    """A reference is known by its path, so the weights alone would not tell."""
    digests = {result_artifact(trained(override)).digest for override in ("seed=0", "grpo.steps=4", "grpo.steps=5")}
    assert len(digests) == 3


def test_it_says_what_it_was_made_from(trained):
    cell = trained()
    artifact = result_artifact(cell)
    assert (artifact.type, artifact.metadata["digest"]) == ("model", cell.digest)
    assert artifact.metadata["inputs"] == inputs_of(cell) == {"smoke-relate": Cell("relate", cell.overrides).digest}
    assert artifact.metadata["result"] == json.loads((cell.folder / "result.json").read_text())


def test_every_stage_has_its_files_and_can_be_named():
    assert set(FILES) == set(STAGES)
