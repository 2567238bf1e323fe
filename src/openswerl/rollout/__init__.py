"""Draw samples from a policy: one interface, one backend per file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt


class Completion(msgspec.Struct, frozen=True):
    """One sample; `token_ids` ends with the end-of-sequence token if and only if `finished`."""

    text: str
    token_ids: list[int]
    finished: bool


class Sampler(Protocol):
    """A source of samples from one policy."""

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seed: int
    ) -> list[list[Completion]]:
        """Return `samples` completions per prompt, in order; temperature 0 is greedy. Same seed, same samples."""
        ...


def open_sampler(model: DictConfig, rollout: DictConfig, checkpoint: Path | str) -> Sampler:
    """Load a checkpoint into the backend that `rollout.backend` names. Raises UserError for an unknown one."""
    if rollout.backend == "local":
        from openswerl.rollout.local import LocalSampler

        return LocalSampler.load(model, rollout, checkpoint)
    if rollout.backend == "vllm":
        from openswerl.rollout.vllm import VllmSampler

        return VllmSampler(model, checkpoint)
    raise UserError(f"rollout.backend={rollout.backend} is unknown: choose local or vllm")
