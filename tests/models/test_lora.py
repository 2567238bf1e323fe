"""Adapters: they alone learn, the base stays reachable, and the export is the merged model."""

import peft
import pytest
import torch
from omegaconf import OmegaConf
from transformers import AutoModelForCausalLM

from models.families import model_of
from models.training import LORA, RATES, policy, start, train
from models.words import tokenizer
from openswerl.errors import UserError
from openswerl.models.lora import add_lora, has_lora, reference_of

IDS = torch.tensor([[5, 9, 7, 3]])


def test_a_new_adapter_changes_nothing():
    assert torch.equal(policy(lora=True)(IDS).logits, policy()(IDS).logits)
    assert has_lora(policy(lora=True)) and not has_lora(policy())


@pytest.mark.parametrize("stage", [0, 2])
def test_training_touches_adapters_alone(stage):
    engine = start(lora=True, zero_stage=stage)
    before = {name: parameter.detach().clone() for name, parameter in engine.module.named_parameters()}
    losses = [loss for loss, _ in train(engine, RATES)]
    assert losses[-1] < losses[0]
    for name, parameter in engine.module.named_parameters():
        assert torch.equal(parameter, before[name]) == (".lora_" not in name), name


def test_the_reference_is_the_base():
    engine = start(lora=True)
    train(engine, RATES)
    base = policy()(IDS).logits
    tuned = engine.module(IDS).logits.detach()
    assert not torch.allclose(tuned, base)
    with reference_of(engine.module) as reference, torch.no_grad():
        assert torch.equal(reference(IDS).logits, base)
    assert torch.equal(engine.module(IDS).logits, tuned)
    trained = [name for name, parameter in engine.module.named_parameters() if parameter.requires_grad]
    assert trained and all(".lora_" in name for name in trained)
    assert train(engine, RATES[:1])[0][1] > 0


def test_export_merges_and_keeps_the_adapter(tmp_path):
    engine = start(lora=True)
    train(engine, RATES)
    expected = engine.module(IDS).logits
    engine.export(tmp_path / "policy", tokenizer(), "# card\n")
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "policy")
    torch.testing.assert_close(merged(IDS).logits, expected, rtol=0, atol=1e-5)
    attached = peft.PeftModel.from_pretrained(policy(), str(tmp_path / "policy" / "adapter"))
    torch.testing.assert_close(attached(IDS).logits, expected, rtol=0, atol=1e-6)


def test_a_layer_that_there_is_not_is_one_line():
    lora = OmegaConf.create({**LORA, "targets": ["c_attn"]})
    with pytest.raises(UserError, match=r"model\.lora\.targets=\['c_attn'\]: Target modules .*c_attn.* not found"):
        add_lora(model_of("llama"), lora)
