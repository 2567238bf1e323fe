"""Two processes under our launcher: the update of one process on the same batch, and the same bytes after a kill."""

import pytest

from grpo_runs import Runs
from openswerl.files import read_jsonl

CLOSE = ("loss", "kl", "entropy", "grad_norm", "ratio", "sampler_gap")
# Five prompts: one process has three of them, the other two and a filler.
SETTINGS = ("grpo.prompts_per_step=5", "grpo.kl_coefficient=0.05", "grpo.micro_batch_groups=1", "grpo.steps=3")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def alone(runs):
    run = runs.new("alone", *SETTINGS)
    run.finish()
    return run


@pytest.fixture(scope="module", params=[2, 3])
def pair(runs, request):
    """An undisturbed run of two processes, and how to make its twin."""
    stage = request.param
    run = runs.new(f"both-{stage}", *SETTINGS, f"grpo.optimiser.zero_stage={stage}", processes=2)
    run.finish()
    twin = runs.new(f"twin-{stage}", *SETTINGS, f"grpo.optimiser.zero_stage={stage}", processes=2)
    return run, twin


def outputs(run):
    return [row["output"] for row in read_jsonl(run.out / "rollouts.jsonl") if row["step"] == 0]


@pytest.mark.slow
def test_two_processes_make_the_step_of_one(alone, pair):
    ours, theirs = (read_jsonl(run.out / "metrics.jsonl") for run in (pair[0], alone))
    assert [row["step"] for row in ours] == [row["step"] for row in theirs] == [0, 1, 2]
    assert outputs(pair[0]) == outputs(alone)
    for name in CLOSE:
        assert ours[0][name] == pytest.approx(theirs[0][name], rel=1e-4, abs=1e-6), name
    assert max(ours[0]["sampler_gap_max"], theirs[0]["sampler_gap_max"]) < 1e-4  # rounding of single tokens
    different = {name for name in ours[0] if ours[0][name] != theirs[0][name]}
    assert different <= {*CLOSE, "sampler_gap_max", "forwarded_tokens"}  # a filler is forwarded too


@pytest.mark.slow
def test_two_killed_processes_end_in_the_same_bytes(pair):
    undisturbed, killed = pair
    killed.kill_when(lambda: killed.steps() == 3)
    assert "resuming after step 2" in killed.finish()
    assert killed.differing(undisturbed) == []
