"""Open the policy under evaluation."""

from collections.abc import Mapping
from pathlib import Path

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.evaluate.oracle.repair import Policy


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
    """Load the policy and its tokenizer. Raises UserError if the backend cannot load what was trained."""
    from openswerl.rollout import open_sampler  # with torch, more than the gate's runs need

    place = checkpoint(cfg, inputs)
    if cfg.rollout.backend == "openai" and cfg.policy != "base":
        raise UserError(
            f"rollout=openai asks a model that is elsewhere, and policy={cfg.policy} is in {place}: choose "
            "rollout=local or rollout=vllm, or serve that folder and evaluate it as policy=base"
        )
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, place)
    return Policy(sampler, sampler.fits)
