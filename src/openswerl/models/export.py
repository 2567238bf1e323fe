"""Write a policy as a Hugging Face directory that plain transformers loads."""

import os
import shutil
from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from openswerl.models.distributed import barrier, is_main
from openswerl.models.lora import adapter_state, has_lora, merged_state, save_adapter
from openswerl.models.partitioned import whole_state

logging.disable_progress_bar()


def export_policy(policy: PreTrainedModel, folder: Path, tokenizer: PreTrainedTokenizerBase, card: str) -> None:
    """Write weights (safetensors), tokenizer, generation config and `card` as README.md; whole or not at all.

    The main process writes; all must call it. Adapters are merged into the weights, and kept in `folder/adapter`.
    """
    adapted = has_lora(policy)
    weights = merged_state(policy) if adapted else whole_state(policy)
    adapter = adapter_state(policy) if adapted else None
    if is_main():
        temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
        plain_like(policy).save_pretrained(temporary, state_dict=weights)
        if adapter is not None:
            save_adapter(policy, adapter, temporary / "adapter")
        tokenizer.save_pretrained(temporary)
        (temporary / "README.md").write_text(card, encoding="utf-8", newline="")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(temporary, folder)
    barrier()


def plain_like(policy: PreTrainedModel) -> PreTrainedModel:
    """Return the same model without weights, adapters and DeepSpeed: what knows how to name the files."""
    with torch.device("meta"):
        plain = type(policy)(policy.config)
        plain.to(policy.dtype)  # type: ignore[arg-type]
    if policy.generation_config is not None:
        plain.generation_config = policy.generation_config
    return plain
