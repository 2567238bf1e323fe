"""Weights, gradients and optimiser by the arithmetic of the ZeRO paper (section 3.1), and by what DeepSpeed holds."""

from dataclasses import replace

import pytest

from openswerl.compose import load
from openswerl.plan import states
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import shape_of

CFG = load("scale=node8")
SHAPE = shape_of(CFG.model)
N = 7_615_616_512
HEAD = 2 * 2 * 152_064 * 3584  # the head's gradient and the sum that it is added to


@pytest.fixture
def layout():
    return replace(Layout.of(CFG, "grpo"), processes=1, zero=1)


def bytes_of(layout):
    return [part(layout, SHAPE) for part in (states.weights, states.gradients, states.optimiser)]


def test_mixed_precision_adam_is_sixteen_bytes_a_weight(layout):
    """2 of weights, 2 of gradients, 4 of float32 weights, 8 of moments."""
    assert bytes_of(layout) == [2 * N, 2 * N + HEAD, 12 * N]
    assert sum(bytes_of(layout)) - HEAD == 16 * N


def test_what_each_stage_spreads(layout):
    eight = replace(layout, processes=8)
    assert bytes_of(eight) == [2 * N, 2 * N + HEAD, 12 * N / 8]
    assert bytes_of(replace(eight, zero=2)) == [2 * N, 4 * N / 8 + HEAD, 12 * N / 8]
    assert bytes_of(replace(eight, zero=3)) == [2 * N / 8, 4 * N / 8 + HEAD, 12 * N / 8]
    assert bytes_of(replace(eight, zero=3, machines=4)) == [2 * N / 32, 4 * N / 32 + HEAD, 12 * N / 32]


def test_offload_leaves_nothing_but_the_head(layout):
    assert bytes_of(replace(layout, zero=3, offload=True)) == [0, HEAD, 0]
    assert bytes_of(replace(layout, zero=2, offload=True)) == [2 * N, HEAD, 0]


def test_adapters_alone_have_gradients(layout):
    lora = replace(layout, rank=16, zero=3, processes=8)
    trained = SHAPE.lora(16, lora.targets)
    assert bytes_of(lora) == [2 * (N + trained) / 8, 4 * trained / 8, 12 * trained / 8]
    assert states.reference(lora, SHAPE) == 0 and states.reference(replace(lora, rank=0), SHAPE) == 2 * N / 8


@pytest.mark.slow
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_deepspeed_holds_what_is_planned(stage):
    """The laptop's model in bfloat16, after a step: the optimiser's tensors of float32."""
    import torch
    from omegaconf import OmegaConf

    from models.training import optimiser
    from openswerl.models.checkpoint import load_policy
    from openswerl.models.engine import Engine
    from openswerl.models.logprobs import branch_logprobs
    from openswerl.models.packing import Tree
    from openswerl.plan.shapes import PACKAGED

    policy, _ = load_policy(OmegaConf.create({"revision": None, "dtype": "bfloat16"}), PACKAGED)
    engine = Engine.start(policy, optimiser(zero_stage=stage))
    engine.backward(-branch_logprobs(engine.module, [Tree([1, 2, 3], [[4, 5]])]).logprobs.sum())
    engine.step(1e-3)
    held = engine._deepspeed.optimizer.optimizer.state
    tensors = [key for key in held] + [x for state in held.values() for x in state.values() if torch.is_tensor(x)]
    laptop = load("model.dtype=bfloat16", f"grpo.optimiser.zero_stage={stage}")
    planned = states.optimiser(Layout.of(laptop, "grpo"), shape_of(laptop.model))
    assert sum(x.nbytes for x in tensors) == pytest.approx(planned, rel=0.001)
