"""The weights served are the weights trained, after every publish: an engine in the process, and a server."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vllm_cpu.cases import SMALL

SCRIPT = Path(__file__).with_name("follow.py")
KINDS = {
    "colocated": (1, "rollout=vllm"),
    "colocated_lora": (1, "rollout=vllm", "model.lora.rank=4"),
    "colocated_zero3": (2, "rollout=vllm", "grpo.optimiser.zero_stage=3"),
    "server": (1, "rollout=vllm_server"),
    "server_lora": (1, "rollout=vllm_server", "model.lora.rank=4"),
    "server_zero3": (2, "rollout=vllm_server", "grpo.optimiser.zero_stage=3"),
    "server_lora_zero3": (2, "rollout=vllm_server", "grpo.optimiser.zero_stage=3", "model.lora.rank=4"),
}
CLOSE = 1e-4  # nats; float32 in another order of sums


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_vllm_says_is_what_the_policy_says(kind, tmp_path):
    processes, *overrides = KINDS[kind]
    command = [sys.executable, "-m", "openswerl.launch", str(processes), str(SCRIPT), str(tmp_path)]
    settings = [*SMALL, *overrides, f"serving.folder={tmp_path}", "grpo.optimiser.lr=0.001"]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    done = subprocess.run([*command, *settings], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    parts = [json.loads((tmp_path / f"seen{rank}.json").read_text()) for rank in range(processes)]
    for part in parts:
        assert "the weights that vLLM serves are not those that were published" in part["unpublished"]
        for version, seen in enumerate(part["seen"]):
            compare(seen, version)
        first, *_, last = (seen["served"] for seen in part["seen"])
        assert first[0]["logprobs"] != last[0]["logprobs"]


def compare(seen, version):
    for served, local in zip(seen["served"], seen["local"], strict=True):
        assert [served[name] for name in ("token_ids", "text", "finished")] == [
            local[name] for name in ("token_ids", "text", "finished")
        ]
        assert served["logprobs"] == pytest.approx(local["logprobs"], abs=CLOSE)
    for sampled, ours in zip(seen["sampled"], seen["ours"], strict=True):
        assert sampled["logprobs"] == pytest.approx(ours, abs=CLOSE)
    assert len({tuple(one["token_ids"]) for one in seen["sampled"]}) > 3
    assert {one["version"] for one in seen["served"] + seen["sampled"]} == {version}
