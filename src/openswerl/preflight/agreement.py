"""Compare the tokenizer of the backend with that of the policy that would be trained."""

from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.models.checkpoint import base_checkpoint, load_tokenizer
from openswerl.rollout import Sampler
from openswerl.rollout.agreement import check_agreement


class Agreement(NamedTuple):
    """What was compared, in words; `same` is None where nothing was."""

    same: bool | None
    detail: str


def needed(rollout: DictConfig) -> bool:
    """Whether the samples may become training tokens; those of an endpoint do with `rollout.off_policy` alone."""
    return rollout.backend != "openai" or rollout.off_policy


def compare(sampler: Sampler, cfg: DictConfig) -> Agreement:
    """Return what was compared. Raises UserError where they differ."""
    if cfg.rollout.backend == "replay":
        return Agreement(None, "a record has no tokenizer, so nothing was compared")
    tokenizer = load_tokenizer(base_checkpoint(cfg.model), cfg.model.revision)
    if cfg.rollout.backend == "openai":
        from openswerl.rollout.endpoint.agreement import check_endpoint

        found = check_endpoint(sampler, tokenizer)
        return Agreement(None if found.by == "nothing" else True, str(found))
    assert sampler.tokenizer is not None
    check_agreement(tokenizer, sampler.tokenizer)
    return Agreement(True, "vocabulary, special tokens, chat template and probes are the same")
