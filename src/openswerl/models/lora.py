"""Low-rank adapters by peft: trained alone, switched off for the reference, merged for export.

They are put into the model itself, which stays what it was to everybody else.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig
from safetensors.torch import save_file
from transformers import PreTrainedModel

from openswerl.errors import UserError
from openswerl.models.distributed import is_main
from openswerl.models.partitioned import gathering, whole_state

ADAPTER = "default"


def add_lora(policy: PreTrainedModel, lora: DictConfig) -> PreTrainedModel:
    """Put adapters of rank `lora.rank` beside the linear layers named `lora.targets`; the rest is frozen.

    A new adapter changes no output, as its second factor is 0. Raises UserError if no layer has such a name.
    """
    import peft

    settings = peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets),
        task_type="CAUSAL_LM",
    )
    try:
        peft.inject_adapter_in_model(settings, policy, ADAPTER)
    except ValueError as error:
        raise UserError(f"model.lora.targets={list(lora.targets)}: {str(error).splitlines()[0]}") from None
    return policy


def has_lora(policy: PreTrainedModel) -> bool:
    """Whether the policy has adapters."""
    return any(is_adapter(name) for name, _ in policy.named_parameters())


@contextmanager
def reference_of(policy: PreTrainedModel) -> Iterator[PreTrainedModel]:
    """The policy with its adapters off: the base that it started from. Use it without gradient."""
    trained = {name for name, parameter in policy.named_parameters() if parameter.requires_grad}
    _switch(policy, False)
    try:
        yield policy
    finally:
        _switch(policy, True)
        for name, parameter in policy.named_parameters():  # peft freezes what it switches off
            parameter.requires_grad_(name in trained)


def _switch(policy: PreTrainedModel, on: bool) -> None:
    for layer in _layers(policy).values():
        layer.enable_adapters(on)


def merged_state(policy: PreTrainedModel) -> dict[str, torch.Tensor]:
    """Return the weights with the adapters added in, named as without them; on the main process alone."""
    state = {plain_name(name): tensor for name, tensor in whole_state(policy).items() if not is_adapter(name)}
    for name, layer in _layers(policy).items():
        with gathering([*layer.parameters()]):
            if is_main():
                delta = layer.get_delta_weight(ADAPTER).detach().float().cpu()
                weight = state[f"{name}.weight"]
                state[f"{name}.weight"] = (weight.float() + delta).to(weight.dtype)
    return state


def adapter_state(policy: PreTrainedModel) -> dict[str, torch.Tensor]:
    """Return the adapters' own weights as peft names them in a file; on the main process alone."""
    return {
        f"base_model.model.{name.replace(f'.{ADAPTER}.', '.')}": tensor
        for name, tensor in whole_state(policy).items()
        if is_adapter(name)
    }


def save_adapter(policy: PreTrainedModel, state: dict[str, torch.Tensor], folder: Path) -> None:
    """Write what `peft.PeftModel.from_pretrained` reads."""
    policy.peft_config[ADAPTER].save_pretrained(str(folder))  # type: ignore[union-attr, operator, index]
    save_file(state, str(folder / "adapter_model.safetensors"), metadata={"format": "pt"})


def _layers(policy: PreTrainedModel) -> dict[str, Any]:
    from peft.tuners.lora import LoraLayer

    return {name: module for name, module in policy.named_modules() if isinstance(module, LoraLayer)}


def plain_name(name: str) -> str:
    """Return a weight's name in the model without adapters."""
    return name.replace(".base_layer.", ".")


def is_adapter(name: str) -> bool:
    """Whether a weight of this name is an adapter's."""
    return ".lora_" in name
