"""Open the policy under evaluation."""

from collections.abc import Mapping
from pathlib import Path

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.evaluate.repair import Policy


def checkpoint(cfg: DictConfig, inputs: Mapping[str, Path]) -> Path | str:
    """Return where the policy `cfg.policy` is: the base model's place, or what training wrote."""
    from openswerl.models.checkpoint import base_checkpoint

    if cfg.policy == "base":
        return base_checkpoint(cfg.model)
    found = [folder for name, folder in inputs.items() if name.startswith(("sft-", "grpo-"))]
    if len(found) != 1:
        raise UserError(f"policy={cfg.policy} needs one trained policy among the inputs, not {len(found)}")
    return found[0] / "policy"


def open_policy(cfg: DictConfig, inputs: Mapping[str, Path]) -> Policy:
    """Load the policy and its tokenizer."""
    from transformers import AutoTokenizer  # with torch, more than the gate's runs need

    from openswerl.models.checkpoint import prompt_fits
    from openswerl.rollout import open_sampler

    place = checkpoint(cfg, inputs)
    sampler = open_sampler(cfg.model, cfg.rollout, place)
    tokenizer = AutoTokenizer.from_pretrained(place, revision=cfg.model.revision or "main")
    return Policy(sampler, lambda prompt: prompt_fits(tokenizer, prompt, cfg.model.max_prompt_tokens))
