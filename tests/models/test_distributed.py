"""One process is a world of its own; two under our launcher are one run on the same global batch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM

from models.training import BATCH, RATES, start, train
from openswerl.models import distributed

WORKER = Path(__file__).with_name("training.py")


def test_alone():
    assert (distributed.rank(), distributed.world(), distributed.is_main()) == (0, 1, True)
    assert distributed.gather(distributed.share([3, 1, 2])) == [3, 1, 2]
    assert distributed.sum_over_ranks({"a": 1.5}) == {"a": 1.5}
    assert distributed.max_over_ranks(4) == 4


@given(st.lists(st.integers()), st.integers(1, 5), st.integers(1, 3))
def test_shares_are_a_partition(items, teams, team):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLD_SIZE", str(teams * team))
        parts = []
        for rank in range(teams * team):
            patch.setenv("RANK", str(rank))
            parts.append(distributed.share(items, team))
    assert sorted(item for part in parts[::team] for item in part) == sorted(items)
    assert all(part == items[rank // team :: teams] for rank, part in enumerate(parts))


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """What two processes saw, and the folder with what they wrote."""
    folder = tmp_path_factory.mktemp("two")
    command = [sys.executable, "-m", "openswerl.launch", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(WORKER.parents[1])}
    done = subprocess.run([*command, str(WORKER), str(folder)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((folder / "seen.json").read_text()), folder


@pytest.mark.slow
def test_two_processes_talk_in_order(two):
    seen, _ = two
    assert seen["gathered"] == [0, 1, 2, 3, 4]
    assert seen["most"] == 1
    assert seen["sums"] == {"a": 2.0, "only0": 2.0, "only1": 2.0}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zero0", "zero2", "zero3"])
def test_two_processes_give_the_losses_of_one(two, name):
    one = train(start(zero_stage=0), RATES)
    torch.testing.assert_close(torch.tensor(two[0][name]), torch.tensor(one), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("stage", [2, 3])
def test_two_processes_resume_where_they_were(two, stage):
    undisturbed, again = two[0][f"resumed{stage}"]
    torch.testing.assert_close(torch.tensor(again), torch.tensor(undisturbed), rtol=1e-6, atol=1e-7)
    one = train(start(zero_stage=stage), RATES)[2:]
    torch.testing.assert_close(torch.tensor(again), torch.tensor(one), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_two_processes_train_and_export_adapters_under_zero3(two):
    seen, folder = two
    one = train(start(lora=True), RATES)
    torch.testing.assert_close(torch.tensor(seen["lora"]), torch.tensor(one), rtol=1e-4, atol=1e-5)
    merged = AutoModelForCausalLM.from_pretrained(folder / "policy")
    logits = merged(torch.tensor([BATCH[0].prompt])).logits[0, -1]
    torch.testing.assert_close(logits, torch.tensor(seen["logits"]), rtol=0, atol=1e-5)
