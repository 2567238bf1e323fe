"""Peak memory of real runs against the plan."""

import json
import subprocess
import sys

import pytest

from grpo_runs import Runs
from openswerl.compose import ROOT, load
from openswerl.plan.run import plan


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["grpo", "sft"])
def test_a_run_takes_the_memory_that_was_planned(tmp_path, stage):
    """Within a quarter, at smoke scale; tests/workflow/test_laptop_graph.py does so at laptop scale."""
    run = Runs(tmp_path).new("run", "sft=gold")
    # by a shell that forks, as a process counts the memory of the one that it is started from
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, str(ROOT / "scripts" / f"{stage}.py"), *run.overrides]
    subprocess.run(command, check=True, capture_output=True)
    (costs,) = (tmp_path / "run").glob(f"*/costs/{stage}/**/*.json")
    planned = plan(load(*run.overrides)).memory[stage].peak / 2**20
    assert json.loads(costs.read_text())["peak_megabytes"] == pytest.approx(planned, rel=0.25)
