"""The sft stage with the shipped model: all its outputs, bad input, kill and resume, and two processes."""

import json

import pytest
import torch
from transformers import AutoModelForCausalLM

from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.models.checkpoint import PACKAGED
from openswerl.models.engine import Engine
from openswerl.records import Instance
from openswerl.reward.gate import Gate
from openswerl.sft.run import run, sampling
from openswerl.sft.trainer import Trainer
from parquet_files import write_parquet
from training_fixtures import job_of, repair_instances

SMALL = ("scale=smoke", "tracking.wandb=disabled", "sft.held_out=0.2")


@pytest.fixture
def stage(tmp_path):
    """Run the stage in `<tmp>/<name>` under overrides."""
    write_parquet(tmp_path / "relate" / "instances.parquet", repair_instances(12), Instance)

    def start(name, *overrides):
        job = job_of("sft", tmp_path / name, *SMALL, *overrides, relate=tmp_path / "relate")
        return run(job), job.out

    return start


def test_gold_run_leaves_a_policy_that_differs_and_all_records(stage):
    summary, out = stage("gold", "sft=gold", "sft.steps=3", "sft.prompts=10")
    assert summary["instances"] == 12 and summary["left_out"] == {}
    assert (summary["demonstrations"], summary["held_out"]) == (8, 2)
    metrics = read_jsonl(out / "metrics.jsonl")
    assert [row["step"] for row in metrics] == [0, 1, 2] and all(row["loss"] > 0 for row in metrics)
    assert {"eval_loss", "format_rate"} <= metrics[-1].keys() and 0 <= metrics[-1]["format_rate"] <= 1
    assert json.loads((out / "demonstrations.json").read_text())["kept"] == 10
    assert len(read_jsonl(out / "demonstrations.jsonl")) == 10
    assert read_jsonl(out / "quarantine.jsonl") == [] and len(read_jsonl(out / "timings.jsonl")) == 3
    trained, base = (
        AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32) for place in (out / "policy", PACKAGED)
    )
    assert not torch.equal(trained.lm_head.weight, base.lm_head.weight)
    card = (out / "policy" / "README.md").read_text()
    assert "sft" in card and "| seed | 0 |" in card


@pytest.mark.slow
def test_activation_checkpointing_changes_no_metric(stage):
    """Sampling for the format rate needs a KV cache, which training with it does not allow."""
    small = ("sft=gold", "sft.steps=2", "sft.prompts=6")
    plain, spared = stage("plain", *small), stage("spared", *small, "sft.optimiser.gradient_checkpointing=true")
    ours, theirs = (read_jsonl(out / "metrics.jsonl") for _, out in (spared, plain))
    assert [pytest.approx(row, rel=1e-5) for row in theirs] == ours


def test_the_base_answers_hinted_questions_of_both_kinds(stage):
    _, out = stage("mixed", "sft.localisation=0.5", "sft.prompts=8", "sft.samples_per_prompt=4", "sft.steps=1")
    counts = json.loads((out / "demonstrations.json").read_text())
    assert counts["kinds"]["editing"]["sampled"] == counts["kinds"]["localisation"]["sampled"] == 16
    assert counts["kinds"]["editing"]["kept"] > 0 and counts["kinds"]["localisation"]["kept"] > 0
    assert counts["sampled"] == 32 == counts["kept"] + sum(counts["rejected"].values())


def test_gold_localisation_is_learnt(stage):
    _, out = stage(
        "learnt", "sft=gold", "sft.localisation=1.0", "sft.prompts=10", "sft.steps=16", "sft.evaluate_every=99"
    )
    metrics = read_jsonl(out / "metrics.jsonl")
    assert metrics[-1]["loss"] < 0.5 * metrics[0]["loss"]


@pytest.mark.slow
def test_rejection_keeps_answers_that_earn_the_reward(stage):
    _, out = stage("rejection", "sft=rejection", "sft.prompts=12", "sft.samples_per_prompt=4", "sft.steps=1")
    counts = json.loads((out / "demonstrations.json").read_text())
    assert 0 < counts["kept"] < 24 and counts["rejected"]["low_reward"] > 0


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (("model.max_prompt_tokens=20",), r"within model\.max_prompt_tokens=20"),
        (("model.max_response_tokens=2000",), "more than the model's context of 1024"),
        (("sft.row_tokens=50",), "no demonstration is left to train on: .* longer than sft.row_tokens"),
        (("sft.demonstrations=magic",), "sft.demonstrations=magic is unknown"),
        (("prompt=unidiff",), "sft writes search_replace answers, and prompt=unidiff asks for unidiff"),
        (("sft.mix.path=none.jsonl", "sft.mix.share=0.1"), "none.jsonl needs a model with a chat template"),
        (("sft.mix.share=0.1",), r"sft\.mix\.share=0\.1 and sft\.mix\.path=None do not fit"),
        (("sft.mix.path=none.jsonl",), r"sft\.mix\.share=0\.0 and sft\.mix\.path=none\.jsonl do not fit"),
        (("model.path=/no/such",), "cannot load the model at /no/such"),
    ],
)
def test_bad_input_is_one_line_and_leaves_no_policy(stage, tmp_path, overrides, message):
    with pytest.raises(UserError, match=message) as caught:
        stage("bad", "sft=gold", *overrides)
    assert "\n" not in str(caught.value) and not (tmp_path / "bad" / "policy").exists()


def test_a_kill_does_not_change_what_is_trained_on(stage, monkeypatch):
    """The gate has a time limit: a time-out after the kill must not change data that are chosen already."""
    settings = ("sft=gold", "sft.prompts=10", "sft.steps=2")
    _, whole = stage("whole", *settings)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("openswerl.sft.trainer.Trainer.train", killed)
        with pytest.raises(KeyboardInterrupt):
            stage("killed", *settings)

    def timed_out(instances, rewards):
        return Gate([], [(instance.instance_id, "timeout") for instance in instances])

    monkeypatch.setattr("openswerl.training.select.gate", timed_out)
    _, out = stage("killed", *settings)
    assert (out / "quarantine.jsonl").read_bytes() == (whole / "quarantine.jsonl").read_bytes() == b""
    for name in ("metrics.jsonl", "demonstrations.jsonl"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


def test_weights_that_are_not_finite_are_no_policy(stage, tmp_path, monkeypatch):
    train = Trainer.train

    def spoilt(self):
        metrics = train(self)
        with torch.no_grad():
            next(self.engine.module.parameters())[0, 0] = float("inf")
        return metrics

    monkeypatch.setattr("openswerl.sft.trainer.Trainer.train", spoilt)
    with pytest.raises(UserError, match=r"holds weights that are not finite, so no policy is written"):
        stage("bad", "sft=gold", "sft.steps=1", "sft.prompts=6")
    assert not any((tmp_path / "bad" / name).exists() for name in ("policy", "metrics.jsonl"))


@pytest.mark.parametrize(("override", "whole"), [("rollout=local", True), ("rollout=vllm", False), ("sft=gold", False)])
def test_parameters_are_gathered_only_where_the_policy_in_training_answers(settings, tiny_policy, override, whole):
    cfg = settings("sft.optimiser.zero_stage=3", override)
    engine = Engine.start(tiny_policy, cfg.sft.optimiser)
    with sampling(cfg, engine):
        assert (sum(p.numel() for p in engine.module.parameters()) > 0) is whole
