"""Training in every ZeRO stage against a loop of plain PyTorch."""

import math
import os
import subprocess
import sys

import pytest
import torch

from models.families import model_of
from models.training import RATES, optimiser, plain_training, policy, start, train
from openswerl.errors import UserError
from openswerl.models.engine import Engine, frozen_copy, learning_rate
from openswerl.rollout.decoding import decode

SETTINGS = [
    {"zero_stage": 0},
    {"zero_stage": 1},
    {"zero_stage": 2},
    {"zero_stage": 3},
    {"zero_stage": 0, "gradient_checkpointing": True},
    {"zero_stage": 3, "gradient_checkpointing": True},
    {"zero_stage": 2, "offload": "cpu"},
    {"zero_stage": 3, "offload": "cpu"},
]


@pytest.fixture(scope="module")
def plain():
    return plain_training(RATES)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_losses_and_norms_are_those_of_plain_pytorch(settings, plain):
    """Four micro-batches a step; the norm is far above the clip, so a clipped one would show."""
    assert plain[0][1] > 0.6
    seen = train(start(**settings), RATES)
    torch.testing.assert_close(torch.tensor(seen), torch.tensor(plain), rtol=2e-4, atol=2e-5)


def test_zero_3_parts_the_weights_before_a_device_would_hold_them_all(monkeypatch):
    """DeepSpeed moves to the device what it finds whole."""
    import deepspeed

    found, initialize = [], deepspeed.initialize

    def watched(**arguments):
        found.append(sum(parameter.numel() for parameter in arguments["model"].parameters()))
        return initialize(**arguments)

    monkeypatch.setattr(deepspeed, "initialize", watched)
    start(zero_stage=3)
    frozen_copy(policy(), optimiser(zero_stage=3))
    assert found == [0, 0]


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_bfloat16_keeps_float32_weights(stage):
    """bfloat16 weights of 0.1 lie 5e-4 apart: an update of 3e-5 is lost unless exact weights are kept beside."""
    engine = Engine.start(model_of("llama").to(torch.bfloat16), optimiser(zero_stage=stage, weight_decay=0.0))
    before = whole_weight(engine)
    for _ in range(25):
        engine.backward(whole_loss(engine))
        engine.step(3e-5)
    assert engine.module.dtype == torch.bfloat16
    assert (whole_weight(engine) != before).double().mean() > 0.5


@pytest.mark.parametrize("stage", [2, 3])
def test_small_micro_batches_count_beside_a_large_one(stage):
    """In bfloat16 x + x/520 is x, so that a sum with 64 such parts would stay x instead of 1.12 x."""
    engine = Engine.start(model_of("llama").to(torch.bfloat16), optimiser(zero_stage=stage, lr=0.0))
    engine.backward(whole_loss(engine))
    alone = engine.step(0.0)
    engine.backward(whole_loss(engine))
    for _ in range(64):
        engine.backward(whole_loss(engine) / 520)
    assert engine.step(0.0) == pytest.approx((1 + 64 / 520) * alone, rel=0.01)


def whole_loss(engine):
    return -engine.module.base_model(torch.tensor([[3, 4, 5]]), use_cache=False).last_hidden_state.float().pow(3).mean()


def whole_weight(engine):
    with engine.gathered() as module:
        return module.base_model.layers[0].mlp.up_proj.weight.detach().float().clone()


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_gradient_that_is_not_finite_leaves_no_trace(stage):
    engine = start(zero_stage=stage)
    first = train(engine, RATES[:2])
    engine.backward(whole_loss(engine) * math.nan)
    assert not math.isfinite(engine.step(1e-2))
    undisturbed = train(start(zero_stage=stage), RATES)
    assert first + train(engine, RATES[2:]) == undisturbed


@pytest.mark.parametrize("stage", [0, 3])
def test_sampling_sees_whole_parameters_and_training_goes_on(stage):
    engine = start(zero_stage=stage)
    train(engine, RATES[:2])
    with engine.gathered() as module:
        shapes = [parameter.shape for parameter in module.parameters()]
        rows = decode(module, [[5, 9, 7]], samples=2, max_new=4, temperature=0.0, seeds=[0], ended=lambda row: False)
    assert shapes == [parameter.shape for parameter in policy().parameters()]
    assert rows[0].tokens == rows[1].tokens and len(rows[0].tokens) == 4
    assert train(engine, RATES[2:]) == train(start(zero_stage=stage), RATES)[2:]


@pytest.mark.parametrize("stage", [0, 3])
def test_a_frozen_copy_stays_as_it_was(stage):
    model = policy()
    ids = torch.tensor([[5, 9, 7, 3]])
    expected = model.base_model(ids).last_hidden_state.detach()
    frozen = frozen_copy(model, optimiser(zero_stage=stage))
    train(Engine.start(model, optimiser(zero_stage=stage)), RATES[:1])
    with torch.no_grad():
        torch.testing.assert_close(frozen.base_model(ids).last_hidden_state, expected)
    assert not any(parameter.requires_grad for parameter in frozen.parameters())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"zero_stage": 4}, r"zero_stage=4 is unknown: choose 0, 1, 2 or 3"),
        ({"offload": "nvme"}, r"offload=nvme is unknown: choose none or cpu"),
        ({"offload": "cpu", "zero_stage": 1}, r"offload=cpu needs optimiser.zero_stage=2 or 3, not 1"),
    ],
)
def test_settings_that_do_not_go_together_are_one_line(changes, message):
    with pytest.raises(UserError, match=message):
        start(**changes)


def test_bfloat16_without_float32_weights_is_refused():
    with pytest.raises(UserError, match=r"model\.dtype=bfloat16 needs optimiser\.zero_stage=1, 2 or 3"):
        Engine.start(model_of("llama").to(torch.bfloat16), optimiser())


def test_the_rate_rises_and_falls():
    settings = optimiser(lr=2.0, warmup_steps=4, final_lr=0.1)
    rates = [learning_rate(step, 100, settings) for step in range(100)]
    assert rates[0] == pytest.approx(2.0 / 4) and rates[1] == pytest.approx(2.0 * 2 / 4 * (1 - 0.9 / 100))
    assert max(rates) == rates[3] and rates[-1] == pytest.approx(2.0 * (1 - 0.9 * 99 / 100))


def test_a_single_step_has_the_peak_rate():
    assert learning_rate(0, 1, optimiser(lr=2.0, final_lr=0.1)) == 2.0


def test_a_launchers_variables_that_another_library_left_behind_are_no_launcher():
    code = "from openswerl.models.zero import open_process_group; open_process_group(); print('alone')"
    left = {**os.environ, "RANK": "0", "WORLD_SIZE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=left, capture_output=True, text=True)
    assert done.stdout.strip().endswith("alone"), done.stderr
