"""A model that its config gives dropout trains as if it had none."""

import pytest
import torch

from models.families import TREES, model_of
from models.training import optimiser
from openswerl.models.dropout import remove_dropout
from openswerl.models.engine import Engine
from openswerl.models.logprobs import branch_logprobs

WITH = {
    "llama": {"attention_dropout": 0.4},
    "gpt_neox": {"attention_dropout": 0.4, "hidden_dropout": 0.4},
    "mixtral": {"attention_dropout": 0.4, "router_jitter_noise": 0.4, "num_key_value_heads": 2, "num_local_experts": 2},
}
IDS = torch.tensor([[5, 9, 7, 3]])


@pytest.mark.parametrize("family", WITH)
def test_training_mode_computes_what_evaluation_does(family):
    policy = model_of(family, **WITH[family])
    expected = policy.eval()(IDS).logits
    assert not torch.allclose(policy.train()(IDS).logits, expected, atol=1e-3)
    remove_dropout(policy)
    assert policy.training
    torch.testing.assert_close(policy(IDS).logits, expected)


@pytest.mark.parametrize("forward", ["packed", "padded"])
def test_the_engine_trains_without(forward):
    policy = model_of("gpt_neox", **WITH["gpt_neox"])
    expected = branch_logprobs(policy.eval(), TREES, forward="padded").logprobs
    engine = Engine.start(policy, optimiser())
    assert engine.module.training
    torch.testing.assert_close(branch_logprobs(engine.module, TREES, forward=forward).logprobs, expected)
