"""Open vLLM for a checkpoint or for a policy in training: an engine in this process, or a server of its own."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.checkpoint import base_checkpoint, load_tokenizer
from openswerl.models.distributed import gather, is_main
from openswerl.models.lora import has_lora
from openswerl.rollout.agreement import check_policy
from openswerl.rollout.ending import eos_of
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.publishing import Publisher
from openswerl.rollout.samples import Sampler
from openswerl.rollout.vllm.engine import EngineSampler
from openswerl.rollout.vllm.links import EngineLink, ServerLink
from openswerl.rollout.vllm.publish import VllmPublisher
from openswerl.rollout.vllm.served import ServedSampler
from openswerl.rollout.vllm.server import Server, reach_directly
from openswerl.rollout.vllm.settings import ADAPTER, engine_settings


def open_vllm(model: DictConfig, rollout: DictConfig, serving: DictConfig, checkpoint: Path | str) -> Sampler:
    """Serve a checkpoint on disk, which follows no policy. All processes call it.

    Raises UserError if vLLM is not there or does not start.
    """
    _require_vllm()
    tokenizer, ends = _tokenizer(model, checkpoint)
    settings = engine_settings(model, rollout, checkpoint, lora=False)
    if rollout.engine.mode == "colocated":
        return EngineSampler(model, rollout, tokenizer, ends, settings)
    server, channel = _served(settings, rollout, serving)
    return ServedSampler(model, rollout, serving, tokenizer, ends, channel, server)


def open_policy(
    policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, cfg: DictConfig
) -> tuple[Sampler, Publisher]:
    """Serve a policy in training; it starts from the checkpoint that the policy started from. All processes call it.

    Raises UserError if vLLM is not there, does not start, or cannot serve the policy.
    """
    _require_vllm()
    check_policy(policy, tokenizer, cfg.model)
    ends = eos_of(tokenizer, policy.generation_config)
    settings = engine_settings(cfg.model, cfg.rollout, base_checkpoint(cfg.model), lora=has_lora(policy))
    if cfg.rollout.engine.mode == "colocated":
        sampler = EngineSampler(cfg.model, cfg.rollout, tokenizer, ends, settings)
        return sampler, VllmPublisher(sampler, EngineLink(sampler), cfg)
    server, channel = _served(settings, cfg.rollout, cfg.serving)
    if has_lora(policy):
        channel = replace(channel, model=ADAPTER)
    served = ServedSampler(cfg.model, cfg.rollout, cfg.serving, tokenizer, ends, channel, server)
    return served, VllmPublisher(served, ServerLink(server, cfg.serving.sync_timeout_s) if server else None, cfg)


def _served(settings: dict[str, Any], rollout: DictConfig, serving: DictConfig) -> tuple[Server | None, Channel]:
    """Return the main process's server, and for all processes how to ask it."""
    server = Server(settings, rollout.engine, serving) if is_main() else None
    (channel,) = gather([server.channel] if server else [])
    reach_directly(channel.host)
    return server, channel


def _require_vllm() -> None:
    if importlib.util.find_spec("vllm") is None:
        raise UserError("rollout.backend=vllm needs vLLM: pip install -c constraints-gpu.txt -e '.[gpu]'")


def _tokenizer(model: DictConfig, checkpoint: Path | str) -> tuple[PreTrainedTokenizerBase, frozenset[int]]:
    """Return the tokenizer and the tokens that end a sample. Raises UserError if the checkpoint cannot be read."""
    tokenizer = load_tokenizer(checkpoint, model.revision)
    try:
        generation = GenerationConfig.from_pretrained(checkpoint, revision=model.revision or "main")
    except OSError:  # a checkpoint may have none
        generation = None
    return tokenizer, eos_of(tokenizer, generation)
