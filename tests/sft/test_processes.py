"""The stage in processes of its own: kill -9 and run again; two processes against one."""

import pytest

from grpo_runs import Run, Runs
from openswerl.files import read_jsonl

SMALL = (
    "sft.steps=8", "sft.prompts=16", "sft.samples_per_prompt=4", "sft.checkpoint_every=3", "sft.held_out=0.2",
    "sft.rows_per_step=2", "sft.row_tokens=600", "sft.evaluate_every=4", "rollout.batch_rows=16",
)  # fmt: skip
CLOSE = ("loss", "grad_norm", "eval_loss")


class SftRun(Run):
    """An sft stage."""

    stage = "sft"
    files = (
        "policy/model.safetensors", "policy/README.md", "metrics.jsonl", "demonstrations.json",
        "demonstrations.jsonl", "quarantine.jsonl", "result.json",
    )  # fmt: skip

    def chunks(self) -> int:
        """Return how many chunks of demonstrations are on disk."""
        return len(list((self.scratch / "demonstrations").glob("*.jsonl")))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"), SftRun)


@pytest.fixture(scope="module")
def alone(runs):
    run = runs.new("alone", *SMALL)
    run.finish()
    return run


@pytest.mark.slow
def test_killed_in_synthesis_and_in_training_it_ends_in_the_same_bytes(runs, alone):
    killed = runs.new("killed", *SMALL)
    killed.kill_when(lambda: killed.chunks() >= 2)
    killed.kill_when(lambda: killed.steps() >= 4)
    printed = killed.finish()
    assert "demonstrations" not in printed, "no question is asked again"
    assert killed.differing(alone) == []


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "team"), [(2, 1), (3, 1), (2, 2), (3, 2)])
def test_two_processes_make_the_steps_of_one(runs, alone, stage, team):
    """Each with rows of its own, or as a team that reads each row together."""
    settings = (f"sft.optimiser.zero_stage={stage}", f"sft.optimiser.sequence_parallel={team}")
    both = runs.new(f"both-{stage}-{team}", *SMALL, *settings, processes=2)
    both.finish()
    ours, theirs = (read_jsonl(run.out / "metrics.jsonl") for run in (both, alone))
    assert len(ours) == len(theirs) == 8
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.keys() == other.keys()
        for name in mine.keys() & set(CLOSE):
            assert mine[name] == pytest.approx(other[name], rel=2e-3), name
    assert not {"demonstrations.json", "demonstrations.jsonl"} & set(both.differing(alone))
    for name in ("loss", "grad_norm"):
        assert ours[0][name] == pytest.approx(theirs[0][name], rel=1e-5), name


@pytest.mark.slow
def test_two_killed_processes_end_in_the_same_bytes(runs):
    overrides = (*SMALL, "sft.optimiser.zero_stage=2")
    undisturbed, killed = (runs.new(f"two-{which}", *overrides, processes=2) for which in ("undisturbed", "killed"))
    undisturbed.finish()
    killed.kill_when(lambda: killed.chunks() >= 1)
    killed.kill_when(lambda: killed.steps() >= 4)
    killed.finish()
    assert killed.differing(undisturbed) == []


@pytest.mark.slow
def test_adapters_alone_are_trained_and_merged(runs):
    run = runs.new("lora", *SMALL, "model.lora.rank=4", "sft.optimiser.lr=5e-3", "sft=gold")
    run.finish()
    losses = [row["loss"] for row in read_jsonl(run.out / "metrics.jsonl")]
    assert losses[-1] < losses[0]
    assert (run.out / "policy" / "adapter").is_dir()
