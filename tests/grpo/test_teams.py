"""A GRPO step whose processes read each group together (DeepSpeed Ulysses) against the step of one process."""

from pathlib import Path

import pytest
import torch

from grpo.team_step import CASES, step
from grpo_runs import Runs
from openswerl.files import read_jsonl
from several_processes import processes

WORKER = Path(__file__).with_name("team_step.py")
MEASURED = ("loss", "kl", "entropy", "ratio", "clipped_low", "clipped_high", "grad_norm")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return {case: step(case, tmp_path_factory.mktemp("alone")) for case in CASES}


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return processes(WORKER, tmp_path_factory.mktemp("two"), 2, *NAMES)


NAMES = [f"{case}@{stage}" for case in CASES for stage in (2, 3)] + ["kl@0", "kl@1"]


def check(name, ours, theirs):
    """An answer's ratio adds up the rounding errors of its tokens, and the second iteration those of a step."""
    close = 1e-4 if name.startswith("kl") else 1e-5
    for key in MEASURED:
        expected = theirs["metrics"][key]
        assert ours["metrics"][key] == (
            None if expected is None else pytest.approx(expected, rel=close, abs=close / 10)
        )
    assert ours["metrics"]["forwarded_tokens"] == theirs["metrics"]["forwarded_tokens"], "no token is counted twice"
    assert ours["gradients"].keys() == theirs["gradients"].keys()
    for parameter, expected in theirs["gradients"].items():
        difference = (ours["gradients"][parameter].reshape(expected.shape) - expected).norm()
        assert difference <= close * expected.norm() + 1e-9, parameter
    # AdamW divides by the gradient's size, so that a gradient of rounding errors alone may turn a weight either way
    moved = [(ours["weights"][name] - expected).abs() for name, expected in theirs["weights"].items()]
    rate = theirs["metrics"]["lr"]
    assert torch.cat([x.flatten() for x in moved]).gt(0.01 * rate).double().mean() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_two_processes_make_the_step_of_one(alone, two, name):
    theirs = alone[name.partition("@")[0]]
    assert theirs["metrics"]["grad_norm"] > 0
    for process in two:
        check(name, process[name], theirs)


@pytest.mark.slow
def test_two_teams_of_two_make_the_step_of_one(alone, tmp_path):
    """Three groups: one team has two of them, the other one and, with the KL term, a filler."""
    names = ["plain@2", "kl@3"]
    for process in processes(WORKER, tmp_path, 4, *names):
        for name in names:
            ours, theirs = process[name], alone[name.partition("@")[0]]
            ours["metrics"]["forwarded_tokens"] = theirs["metrics"]["forwarded_tokens"]  # a filler is forwarded too
            check(name, ours, theirs)


@pytest.mark.slow
def test_a_run_of_two_processes_is_that_of_one(tmp_path_factory):
    """The whole stage under the launcher: sampling and scoring are shared out as ever, and steps follow on steps."""
    runs = Runs(tmp_path_factory.mktemp("runs"))
    settings = ("grpo.prompts_per_step=5", "grpo.kl_coefficient=0.05", "grpo.micro_batch_groups=1", "grpo.steps=2")
    alone = runs.new("alone", *settings)
    alone.finish()
    teams = ("grpo.optimiser.zero_stage=3", "grpo.optimiser.gradient_checkpointing=true")
    both = runs.new("both", *settings, *teams, "grpo.optimiser.sequence_parallel=2", processes=2)
    both.finish()
    ours, theirs = (read_jsonl(run.out / "metrics.jsonl") for run in (both, alone))
    for name in (*MEASURED, "sampler_gap"):
        assert ours[0][name] == pytest.approx(theirs[0][name], rel=1e-4, abs=1e-6), name
    assert ours[0]["forwarded_tokens"] == theirs[0]["forwarded_tokens"]
    samples = [
        [row["output"] for row in read_jsonl(run.out / "rollouts.jsonl") if not row["step"]] for run in (both, alone)
    ]
    assert samples[0] == samples[1]
