"""Load and save policies as plain Hugging Face directories."""

import os
import shutil
from pathlib import Path

import torch
from omegaconf import DictConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt

logging.disable_progress_bar()
PACKAGED = Path(__file__).resolve().parents[1] / "laptop" / "base"


def base_checkpoint(model: DictConfig) -> Path | str:
    """Return where the base policy is: the packaged laptop model unless `model.path` names another."""
    return PACKAGED if model.path is None else model.path


def load_policy(model: DictConfig, checkpoint: Path | str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load model (in `model.dtype`) and tokenizer. Raises UserError if the checkpoint cannot be read."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=model.revision or "main")
        policy = AutoModelForCausalLM.from_pretrained(
            checkpoint, revision=model.revision or "main", dtype=getattr(torch, model.dtype), attn_implementation="sdpa"
        )
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UserError(f"cannot load the model at {checkpoint}: {reason}; check model.path") from None
    return policy, tokenizer


def save_policy(policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write a Hugging Face directory; it appears whole or not at all."""
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    policy.save_pretrained(temporary)
    tokenizer.save_pretrained(temporary)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(temporary, folder)


def encode(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, max_tokens: int) -> list[int]:
    """Return the token ids of a prompt, chat template applied to messages.

    Raises UserError if it is longer than `max_tokens`: callers choose what fits, nothing is cut silently.
    """
    if isinstance(prompt, str):
        ids = tokenizer.encode(prompt, add_special_tokens=False)
    else:
        ids = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False)
    if len(ids) > max_tokens:
        raise UserError(f"a prompt has {len(ids)} tokens, more than model.max_prompt_tokens={max_tokens}")
    return list(ids)


def prompt_fits(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, max_tokens: int) -> bool:
    """Whether a prompt has at most `max_tokens` tokens."""
    try:
        encode(tokenizer, prompt, max_tokens)
    except UserError:
        return False
    return True
