"""Draw samples from a policy: one interface, one backend per file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.rollout.seeds import seed_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

__all__ = ["Completion", "Sampler", "open_sampler", "seed_of"]


class Completion(msgspec.Struct, frozen=True):
    """One sample. `finished`: it ended by itself, with an end-of-sequence token or the closing tag `rollout.stop`.

    `token_ids` holds the end-of-sequence token too. `logprobs` are those of the sampled tokens at the sampling
    temperature (greedy: at 1), one a token; None where the backend gives none.
    """

    text: str
    token_ids: list[int]
    finished: bool
    logprobs: list[float] | None = None


class Sampler(Protocol):
    """A source of samples from one policy."""

    tokenizer: "PreTrainedTokenizerBase"

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> list[list[Completion]]:
        """Return `samples` completions per prompt, in order; temperature 0 is greedy.

        Sample i of a prompt depends on the prompt's seed and i alone. Raises UserError for a prompt longer than
        `model.max_prompt_tokens`: callers leave such out and count them.
        """
        ...


def open_sampler(model: DictConfig, rollout: DictConfig, checkpoint: Path | str) -> Sampler:
    """Load a checkpoint into the backend that `rollout.backend` names. Raises UserError for an unknown one."""
    if rollout.backend == "local":
        from openswerl.rollout.local import LocalSampler

        return LocalSampler.load(model, rollout, checkpoint)
    if rollout.backend == "vllm":
        from openswerl.rollout.vllm import VllmSampler

        return VllmSampler(model, rollout, checkpoint)
    raise UserError(f"rollout.backend={rollout.backend} is unknown: choose local or vllm")
