"""What is planned for a row against the bytes that PyTorch really keeps for the backward pass."""

from dataclasses import replace

import pytest
import torch
from omegaconf import OmegaConf

from openswerl.compose import load
from openswerl.models.checkpoint import load_policy
from openswerl.models.engine import checkpoint_activations
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.packing import Tree
from openswerl.plan import activations
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import PACKAGED, shape_of

PROMPT, ANSWERS, ANSWER = 96, 4, 40


def kept_bytes(policy):
    """Bytes of all storages that the graph of one row keeps, the weights not counted."""
    own = {parameter.untyped_storage().data_ptr() for parameter in policy.parameters()}
    seen = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            seen[storage.data_ptr()] = storage
        return tensor

    trees = [Tree([5] * PROMPT, [[7] * ANSWER] * ANSWERS)]
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        branch_logprobs(policy, trees)
    return sum(storage.nbytes() for storage in seen.values())


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_what_a_row_keeps(dtype, checkpointing):
    policy, _ = load_policy(OmegaConf.create({"revision": None, "dtype": dtype}), PACKAGED)
    if checkpointing:
        checkpoint_activations(policy)
    cfg = load(f"model.dtype={dtype}")
    layout = replace(
        Layout.of(cfg, "grpo"),
        checkpointing=checkpointing,
        prompts=1,
        prompt=PROMPT,
        group=ANSWERS,
        response=ANSWER,
    )
    shape = shape_of(cfg.model)
    planned = activations.kept(layout, shape) + activations.ends(layout, shape)
    assert kept_bytes(policy.train()) == pytest.approx(planned, rel=0.2 if checkpointing else 0.1)
