"""ZeRO-3 keeps a part of each parameter on each process; here they become whole for as long as somebody needs them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch

from openswerl.models.distributed import is_main


def is_partitioned(parameters: Sequence[torch.nn.Parameter]) -> bool:
    """Whether ZeRO-3 owns any of the parameters."""
    return any(hasattr(parameter, "ds_id") for parameter in parameters)


def spread(policy: torch.nn.Module, settings: dict[str, Any], device: torch.device) -> None:
    """Part the weights one by one, before `deepspeed.initialize`, which would move all of them to the device first."""
    import deepspeed

    deepspeed.zero.Init(module=policy, config_dict_or_path=settings)
    for buffer in policy.buffers():
        buffer.data = buffer.data.to(device)


@contextmanager
def whole(deepspeed: Any) -> Iterator[None]:
    """All parameters whole on every process, and none of ZeRO-3's hooks in the way of many small forward passes."""
    if not is_partitioned([*deepspeed.module.parameters()]):
        yield
        return
    from deepspeed.runtime.zero.stage3 import unwrap_model_for_generation

    with unwrap_model_for_generation(deepspeed), _unwatched(_offload(deepspeed).get_param_coordinator()):
        yield


@contextmanager
def _unwatched(coordinator: Any) -> Iterator[None]:
    """ZeRO-3 compares all processes where a forward pass begins; in sampling each makes as many as it needs."""
    coordinator.reset_step = lambda: None
    try:
        yield
    finally:
        del coordinator.reset_step


def _offload(deepspeed: Any) -> Any:
    return getattr(deepspeed.optimizer, "parameter_offload", deepspeed.optimizer)


def gathering(parameters: Sequence[torch.nn.Parameter]) -> Any:
    """A context in which these parameters are whole on every process."""
    if not is_partitioned(parameters):
        return nullcontext()
    import deepspeed

    return deepspeed.zero.GatheredParameters(list(parameters))


def follow_forwards(deepspeed: Any) -> None:
    """Let ZeRO-3 see where a forward pass begins: it watches the outermost module, and we call the one inside."""
    deepspeed.module.base_model.register_forward_pre_hook(
        lambda *_: _offload(deepspeed).get_param_coordinator().reset_step(), prepend=True
    )


def whole_state(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return the state on the CPU of the main process, one parameter gathered at a time; empty elsewhere.

    A tensor that has two names (tied weights) comes under the first.
    """
    state = {}
    for name, tensor in named_once(model):
        with gathering([tensor]):
            if is_main():
                state[name] = tensor.detach().cpu().clone()
    return state


def named_once(model: torch.nn.Module) -> list[tuple[str, Any]]:
    """Return parameters and buffers as a file names them; one with two names (tied weights) under the first."""
    named = {id(tensor): (name, tensor) for name, tensor in reversed(model.state_dict(keep_vars=True).items())}
    return list(reversed(named.values()))
