"""Weights leave one at a time, under the names and in the shapes of a checkpoint, whatever the stage."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from models.families import FAMILIES, model_of
from models.training import RATES, start, train
from openswerl.models import distributed
from openswerl.models.publish import named_weights

SCRIPT = Path(__file__)
MOE = {"num_local_experts": 2, "num_experts_per_tok": 1, "num_key_value_heads": 2}


def written(policy, folder):
    """What transformers itself writes for the policy."""
    policy.save_pretrained(folder)
    return load_file(folder / "model.safetensors")


def assert_same(weights, others):
    assert weights.keys() == others.keys()
    assert all(torch.equal(weights[name], others[name]) for name in others)


@pytest.mark.parametrize(("family", "settings"), [*((family, {}) for family in FAMILIES), ("mixtral", MOE)])
def test_they_are_what_a_checkpoint_holds(family, settings, tmp_path):
    policy = model_of(family, **settings)
    assert_same(dict(named_weights(policy)), written(policy, tmp_path))


def test_experts_are_named_as_others_read_them():
    names = dict(named_weights(model_of("mixtral", **MOE)))
    assert "model.layers.0.block_sparse_moe.experts.1.w2.weight" in names


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_they_are_the_trained_ones(stage, tmp_path):
    engine = start(zero_stage=stage)
    before = {name: tensor.clone() for name, tensor in named_weights(engine.module)}
    train(engine, RATES[:2])
    engine.export(tmp_path / "policy", _tokenizer(), "")
    weights = dict(named_weights(engine.module))
    assert_same(weights, load_file(tmp_path / "policy" / "model.safetensors"))
    assert not any(torch.equal(weights[name], before[name]) for name in before)


def test_tied_ones_come_once():
    names = [name for name, _ in named_weights(model_of("qwen2"))]
    assert "lm_head.weight" not in names and names.count("model.embed_tokens.weight") == 1


def test_adapters_stay_out_and_what_they_adapt_keeps_its_name():
    adapted, plain = start(lora=True), start()
    assert_same(dict(named_weights(adapted.module)), dict(named_weights(plain.module)))


def test_under_zero3_one_parameter_at_a_time_is_gathered(monkeypatch):
    import deepspeed

    engine, seen = start(zero_stage=3), []

    class Watched(deepspeed.zero.GatheredParameters):
        def __init__(self, params, *args, **kwargs):
            seen.append([parameter.ds_id for parameter in params])
            super().__init__(params, *args, **kwargs)

    monkeypatch.setattr(deepspeed.zero, "GatheredParameters", Watched)
    for _, tensor in named_weights(engine.module):
        assert tensor.numel() and not any(parameter.numel() for parameter in engine.module.parameters())
    assert sorted(seen) == sorted([parameter.ds_id] for parameter in engine.module.parameters())


@pytest.mark.slow
def test_two_processes_have_the_same(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parents[1])}
    command = [sys.executable, "-m", "openswerl.launch", "2", str(SCRIPT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    exported = load_file(tmp_path / "policy" / "model.safetensors")
    assert exported
    for rank in range(2):
        sums = json.loads((tmp_path / f"{rank}.json").read_text())
        assert sums == {name: tensor.double().abs().sum().item() for name, tensor in exported.items()}


def _tokenizer():
    from models.words import tokenizer

    return tokenizer()


def main(folder: Path) -> None:
    engine = start(zero_stage=3)
    train(engine, RATES[:2])
    engine.export(folder / "policy", _tokenizer(), "")
    sums = {name: tensor.double().abs().sum().item() for name, tensor in named_weights(engine.module)}
    (folder / f"{distributed.rank()}.json").write_text(json.dumps(sums))
    distributed.leave()


if __name__ == "__main__":
    from openswerl.models.zero import open_process_group

    torch.set_num_threads(1)
    open_process_group()
    main(Path(sys.argv[1]))
