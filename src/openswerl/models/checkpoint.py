"""Load policies from Hugging Face directories, and turn prompts into their tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from jinja2 import TemplateError
from omegaconf import DictConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from openswerl.errors import UserError
from openswerl.models.head import check_head
from openswerl.models.lora import add_lora
from openswerl.models.prompts import Prompt

logging.disable_progress_bar()
PACKAGED = Path(__file__).resolve().parents[1] / "laptop" / "base"


def base_checkpoint(model: DictConfig) -> Path | str:
    """Return where the base policy is: the packaged laptop model unless `model.path` names another."""
    return PACKAGED if model.path is None else model.path


def load_policy(model: DictConfig, checkpoint: Path | str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load model (in `model.dtype`) and tokenizer; weights must be safetensors, which hold no code.

    Raises UserError if the checkpoint is missing, damaged, or not of a causal language model that we can read.
    """
    revision = model.revision or "main"
    with _loading("model", checkpoint, "model.path"):
        tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
        policy = AutoModelForCausalLM.from_pretrained(
            checkpoint,
            revision=revision,
            dtype=getattr(torch, model.dtype),
            attn_implementation="sdpa",
            use_safetensors=True,
        )
    check_head(policy)
    return policy, tokenizer


def load_tokenizer(
    checkpoint: Path | str, revision: str | None = None, setting: str = "model.path"
) -> PreTrainedTokenizerBase:
    """Load a tokenizer alone; `setting` names it for people. Raises UserError if it is missing or damaged."""
    with _loading("tokenizer", checkpoint, setting):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(checkpoint, revision=revision or "main")
    return tokenizer


@contextmanager
def _loading(what: str, checkpoint: Path | str, setting: str) -> Iterator[None]:
    """Turn what loading raises, which for damaged files is of many kinds, into one line."""
    if str(checkpoint).startswith(("/", ".")) and not Path(checkpoint).is_dir():
        raise UserError(f"cannot load the {what} at {checkpoint}: there is no such folder; check {setting}")
    try:
        yield
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
        raise UserError(f"cannot load the {what} at {checkpoint}: {reason}; check {setting}") from None


def load_trainable(model: DictConfig) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load the base policy as `model` says that it is trained, with adapters if `model.lora.rank` is above 0."""
    policy, tokenizer = load_policy(model, base_checkpoint(model))
    return (add_lora(policy, model.lora) if model.lora.rank else policy), tokenizer


def encode(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, max_tokens: int) -> list[int]:
    """Return the token ids of a prompt, chat template applied to messages.

    Raises UserError if it is longer than `max_tokens` (callers choose what fits, nothing is cut silently), or if the
    tokenizer has no chat template for messages.
    """
    ids = token_ids(tokenizer, prompt)
    if len(ids) > max_tokens:
        raise UserError(f"a prompt has {len(ids)} tokens, more than model.max_prompt_tokens={max_tokens}")
    return ids


def prompt_fits(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, max_tokens: int) -> bool:
    """Whether a prompt has at most `max_tokens` tokens. Raises UserError if messages find no chat template."""
    return len(token_ids(tokenizer, prompt)) <= max_tokens


def token_ids(tokenizer: PreTrainedTokenizerBase, prompt: Prompt) -> list[int]:
    """Return the token ids of a prompt, however many. Raises UserError if messages find no chat template."""
    if isinstance(prompt, str):
        return list(tokenizer.encode(prompt, add_special_tokens=False))
    if not tokenizer.chat_template:
        raise UserError("the tokenizer has no chat template: set model.prompt=compact, or choose another model.path")
    try:
        return list(tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False))
    except (TemplateError, ValueError) as error:  # a template may refuse the role of the system
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise UserError(
            f"the tokenizer's chat template refuses the prompt ({reason}): set model.prompt=compact, or choose another "
            "model.path"
        ) from None
