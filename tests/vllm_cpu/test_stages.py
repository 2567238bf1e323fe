"""Whole stages with vLLM: preflight through the protocol, and GRPO with a vLLM that follows the policy."""

import json

import pytest

from grpo_runs import Runs
from openswerl.config import load
from openswerl.files import read_jsonl
from openswerl.models.checkpoint import PACKAGED
from openswerl.preflight.run import run
from openswerl.records import Instance
from openswerl.rollout import open_sampler
from parquet_files import write_parquet
from training_fixtures import job_of, repair_instances
from vllm_cpu.cases import SMALL

FEW = ("scale=smoke", "preflight.instances=4", "preflight.samples=2", "tracking.wandb=disabled", "reward.workers=1")
GAP = 1e-4  # nats a token


@pytest.mark.slow
def test_preflight_sees_the_same_greedy_texts_and_rewards(tmp_path, monkeypatch):
    """rollout=local against rollout=openai, which asks a vLLM server and does not know that it is ours."""
    write_parquet(tmp_path / "relate" / "instances.parquet", repair_instances(10), Instance)
    cfg = load("rollout=vllm_server", *SMALL, f"serving.folder={tmp_path}")
    server = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    channel = server.server.channel
    monkeypatch.setenv("OPENAI_BASE_URL", channel.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", channel.key)
    monkeypatch.setenv("OPENAI_MODEL", channel.model)
    seen = {}
    for rollout in ("local", "openai"):
        folder = tmp_path / rollout
        folder.mkdir()
        tokenizer = f"rollout.endpoint.tokenizer={PACKAGED}"
        overrides = (*FEW, f"rollout={rollout}", tokenizer, f"results={tmp_path}")
        run(job_of("preflight", folder, *overrides, relate=tmp_path / "relate"))
        rows = read_jsonl(folder / "samples.jsonl")
        seen[rollout] = [(r["instance_id"], r["output"], r["reward"]) for r in rows if r["temperature"] == 0]
    server.close()
    assert seen["openai"] == seen["local"]
    assert len({reward for *_, reward in seen["local"]}) > 1
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert channel.key.encode() not in written


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("grpo"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rollout", "processes"), [("vllm", 1), ("vllm_server", 1), ("vllm", 2)], ids=["colocated", "server", "two"]
)
def test_grpo_samples_from_the_policy_as_it_is(rollout, processes, runs):
    done = runs.new(f"{rollout}{processes}", f"rollout={rollout}", *SMALL, processes=processes)
    printed = done.finish()
    rows = [json.loads(line) for line in (done.out / "metrics.jsonl").read_text().splitlines()]
    assert len(rows) == 6, printed
    gaps = [row["sampler_gap"] for row in rows if row["forwarded_tokens"]]
    assert gaps and max(gaps) < GAP
    assert len({row["loss"] for row in rows}) > 1
