"""The in-process backend: a Hugging Face model and our KV-cache sampler."""

from collections.abc import Sequence
from pathlib import Path

import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.models.checkpoint import encode, load_policy
from openswerl.models.prompts import Prompt
from openswerl.rollout import Completion
from openswerl.rollout.decoding import decode


class LocalSampler:
    """Samples from a live model: what the trainer changes, the next call sees."""

    def __init__(
        self,
        policy: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        model: DictConfig,
        rollout: DictConfig,
    ) -> None:
        self.policy, self.tokenizer, self.model, self.rollout = policy, tokenizer, model, rollout

    @classmethod
    def load(cls, model: DictConfig, rollout: DictConfig, checkpoint: Path | str) -> "LocalSampler":
        """Load policy and tokenizer from a Hugging Face directory."""
        return cls(*load_policy(model, checkpoint), model, rollout)

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seed: int
    ) -> list[list[Completion]]:
        """Return `samples` completions per prompt; each prompt is read once, and its cache shared by its samples."""
        encoded = [encode(self.tokenizer, prompt, self.model.max_prompt_tokens) for prompt in prompts]
        generator = torch.Generator(device=self.policy.device).manual_seed(seed)
        step = max(1, self.rollout.batch_rows // samples)
        rows: list[list[int]] = []
        for start in range(0, len(encoded), step):
            rows += decode(
                self.policy,
                encoded[start : start + step],
                samples=samples,
                max_new=self.model.max_response_tokens,
                temperature=temperature,
                eos=self.tokenizer.eos_token_id,
                generator=generator,
            )
        done = [self._completion(row) for row in rows]
        return [done[start : start + samples] for start in range(0, len(done), samples)]

    def _completion(self, row: list[int]) -> Completion:
        text = self.tokenizer.decode(row, skip_special_tokens=True)
        return Completion(str(text), row, row[-1] == self.tokenizer.eos_token_id)
