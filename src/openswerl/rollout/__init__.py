"""Draw samples from a policy: one interface, one backend per file."""

from pathlib import Path

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.rollout.recording import recorded
from openswerl.rollout.samples import FAULTS, Answered, Completion, Sampler, Usage, count_faults
from openswerl.rollout.seeds import seed_of

__all__ = ["FAULTS", "Answered", "Completion", "Sampler", "Usage", "count_faults", "open_sampler", "seed_of"]


def open_sampler(model: DictConfig, rollout: DictConfig, serving: DictConfig, checkpoint: Path | str) -> Sampler:
    """Load a checkpoint into the backend that `rollout.backend` names; `openai` asks a model that is elsewhere.

    `serving` says how to reach it, and whether its answers are recorded. Raises UserError where that cannot work.
    """
    return recorded(_open(model, rollout, serving, checkpoint), serving)


def _open(model: DictConfig, rollout: DictConfig, serving: DictConfig, checkpoint: Path | str) -> Sampler:
    if rollout.backend == "openai":
        from openswerl.rollout.openai import OpenAiSampler

        return OpenAiSampler(model, rollout, serving)
    if rollout.backend == "replay":
        from openswerl.rollout.replay import ReplaySampler

        return ReplaySampler(model, rollout)
    if rollout.backend == "vllm":
        from openswerl.rollout.vllm.opening import open_vllm

        return open_vllm(model, rollout, serving, checkpoint)
    if rollout.backend == "local":
        from openswerl.rollout.local import LocalSampler

        return LocalSampler.load(model, rollout, checkpoint)
    raise UserError(f"rollout.backend={rollout.backend} is unknown: choose local, vllm, openai or replay")
