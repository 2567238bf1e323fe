"""The script: a table that fits on a screen, JSON, and an exit code."""

import json
import subprocess
import sys

import pytest

from openswerl.compose import ROOT, load
from openswerl.plan.run import plan
from openswerl.plan.table import si, table


def script(*overrides):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "plan.py", *overrides], capture_output=True, text=True, cwd=ROOT
    )


@pytest.mark.parametrize("scale", ["laptop", "node8", "paper"])
def test_the_table_fits_and_tells_all(scale):
    cfg = load(f"scale={scale}")
    text = table(plan(cfg), cfg)
    assert max(map(len, text.splitlines())) <= 100
    for word in ("weights", "gradients", "optimiser", "activations", "logits chunk", "FLOPs", "step s", "API price"):
        assert word in text
    for stage in ("archive", "crawl", "sft", "grpo", "evaluate"):
        assert f"\n{stage} " in text


def test_a_layout_that_cannot_run_ends_with_one_line():
    done = script("scale=node8", "model=llama70b")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("plan: error: sft: the engine's share of 31.8 GiB on each of 1 GPUs holds 131.4 GiB")
    assert "the nearest that fits: processes=" in done.stderr and "step s" not in done.stdout


def test_json_for_programs():
    done = script("scale=paper", "plan.format=json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["parameters"] == data["trained"]["grpo"] == 70_553_706_496
    assert set(data["memory"]["grpo"]["phases"]) == {"pass", "step", "sample"} and data["faults"]["grpo"] == []


def test_prices_are_told_where_they_are_given():
    api = ("scale=node8", "rollout=openai", "rollout.off_policy=true", "rollout.endpoint.base_url=http://x")
    assert plan(load(*api)).costs["grpo"].api_price is None
    priced = plan(load(*api, "preflight.prices={prompt: 2, completion: 10}", "plan.device_hour_price=3"))
    asked, cost = priced.asked["grpo"], priced.costs["grpo"]
    assert asked.samples == 400 * 16 * 8 and asked.prompt_tokens == asked.samples * 6144
    assert cost.api_price == pytest.approx(asked.samples * (6144 * 2 + 2048 * 10) / 1e6)
    assert cost.devices_price == pytest.approx(3 * 8 * cost.hours) and priced.costs["sft"].hours > 0


def test_disk_of_the_papers_range():
    """84,744 hours and 4.6M clones (paper appendix A); weights and AdamW's states are 14 bytes a weight."""
    disk = plan(load("scale=paper")).disk
    assert disk["archive"].files == 2 * 84_744 and disk["archive"].left > 3e12
    assert disk["crawl"].files == pytest.approx(8 * 4.6e6)
    weights = 70_553_706_496
    assert disk["grpo"].most - disk["grpo"].left == pytest.approx(3 * 14 * weights)
    assert disk["grpo"].left == pytest.approx(2 * 2 * weights, rel=0.1), "two rewards"


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (999, "999"), (70_553_706_496, "70.6 G"), (999.6, "1 k")])
def test_numbers_with_prefixes(value, text):
    assert si(value) == text
