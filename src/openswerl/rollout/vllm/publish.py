"""Bring a policy's weights, or its adapters alone, to vLLM; each time with a check that they have arrived."""

import tempfile
from pathlib import Path

import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel

from openswerl.models.distributed import gather, is_main
from openswerl.models.lora import adapter_state, has_lora, save_adapter
from openswerl.models.publish import named_weights
from openswerl.rollout.vllm.contract import check_served, probes_of
from openswerl.rollout.vllm.deadline import deadline
from openswerl.rollout.vllm.engine import EngineSampler
from openswerl.rollout.vllm.links import Link
from openswerl.rollout.vllm.served import ServedSampler


class VllmPublisher:
    """Sends the policy, then compares log-probabilities; of several processes those with a `link` send.

    A publish that takes longer than `serving.sync_timeout_s` ends the process.
    """

    live, follows = False, True

    def __init__(self, sampler: EngineSampler | ServedSampler, link: Link | None, cfg: DictConfig) -> None:
        self.sampler, self.link, self.cfg = sampler, link, cfg
        self.probes = probes_of(sampler.tokenizer, sampler.max_prompt_tokens)
        self.adapter: tempfile.TemporaryDirectory[str] | None = None

    def publish(self, policy: PreTrainedModel, version: int) -> None:
        """Send the policy as it is. Raises UserError, on every process, if vLLM serves another afterwards."""
        seconds = self.cfg.serving.sync_timeout_s
        with deadline(seconds, f"version {version} did not reach vLLM within serving.sync_timeout_s={seconds:g}"):
            if has_lora(policy):
                self._send_adapter(policy)
            else:
                self._send_weights(policy)
            served = self.link.scores if self.link else None
            check_served(policy, self.probes, served, self.cfg.model.forward, self.cfg.rollout.engine.max_gap)
        self.sampler.version = version

    def _send_weights(self, policy: PreTrainedModel) -> None:
        if self.link:
            self.link.take_weights(named_weights(policy))
        else:
            for _ in named_weights(policy):  # under ZeRO-3 no parameter is whole unless all ask for it
                pass

    def _send_adapter(self, policy: PreTrainedModel) -> None:
        state = _to_all(adapter_state(policy))
        if self.link is None:
            return
        before, self.adapter = self.adapter, tempfile.TemporaryDirectory(prefix="openswerl-")
        save_adapter(policy, state, Path(self.adapter.name))
        self.link.take_adapter(Path(self.adapter.name))
        if before:
            before.cleanup()


def _to_all(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the main process's state on every process."""
    return gather([state] if is_main() else [])[0]
