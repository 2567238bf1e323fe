"""kill -9 during grpo and run again: weights, samples and metrics are those of an undisturbed run, byte for byte."""

import pytest

from grpo_runs import Runs
from openswerl.compose import ROOT

BASE = ROOT / "src" / "openswerl" / "laptop" / "base" / "model.safetensors"
VARIANTS = {
    "plain": (),
    "reference": ("grpo.kl_coefficient=0.05", "grpo.iterations=2"),
    "zero2": ("grpo.optimiser.zero_stage=2", "grpo.zero_variance=resample", "grpo.truncated=mask"),
    "lora": ("model.lora.rank=4", "grpo.kl_coefficient=0.05", "grpo.optimiser.lr=5e-3"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"))


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_killed_run_ends_in_the_same_bytes(runs, name):
    undisturbed, killed = (runs.new(f"{name}-{which}", *VARIANTS[name]) for which in ("undisturbed", "killed"))
    undisturbed.finish()
    killed.kill_when(lambda: killed.steps() == 1)
    killed.kill_when(lambda: killed.steps() == 5)
    assert "resuming after step 4" in killed.finish()
    assert killed.differing(undisturbed) == []
    assert (killed.out / "policy" / "model.safetensors").read_bytes() != BASE.read_bytes()


@pytest.mark.slow
def test_killed_inside_a_checkpoint(runs):
    overrides = ("grpo.checkpoint_every=1",)
    undisturbed, killed = (runs.new(f"checkpoint-{which}", *overrides) for which in ("undisturbed", "killed"))
    undisturbed.finish()

    def half_written():
        folders = [path for path in (killed.scratch / "checkpoints").glob("step[2-9]")]
        return any(not (path / "manifest.json").exists() for path in folders)

    killed.kill_when(half_written)
    assert half_written()
    assert "resuming after step" in killed.finish()
    assert killed.differing(undisturbed) == []
