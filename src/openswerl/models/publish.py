"""A policy's weights for another program, one parameter at a time: no process ever holds all of a partitioned model."""

from collections.abc import Iterator

import torch
from transformers import PreTrainedModel
from transformers.core_model_loading import revert_weight_conversion

from openswerl.models.lora import is_adapter, plain_name
from openswerl.models.partitioned import gathering, is_partitioned, named_once


def named_weights(policy: PreTrainedModel) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the weights as they are named and shaped in a checkpoint, tied ones once and adapters not at all.

    Under ZeRO-3 each is gathered when its turn comes, so that all processes must iterate, to the end. The tensors stay
    valid, but those of a model that is not partitioned change with the next optimiser step. Experts that transformers
    holds as one tensor are several in a checkpoint.
    """
    for name, tensor in named_once(policy):
        if is_adapter(name):
            continue
        with gathering([tensor]):
            whole = tensor.detach().clone() if is_partitioned([tensor]) else tensor.detach()
        yield from revert_weight_conversion(policy, {plain_name(name): whole}).items()
