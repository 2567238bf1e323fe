"""Compare the tokenizer of the backend with that of the policy that would be trained."""

from omegaconf import DictConfig

from openswerl.models.checkpoint import base_checkpoint, load_tokenizer
from openswerl.rollout import Sampler
from openswerl.rollout.agreement import check_agreement


def compare(sampler: Sampler, cfg: DictConfig) -> str:
    """Say what was compared. Raises UserError where they differ."""
    if cfg.rollout.backend == "replay":
        return "a record has no tokenizer, so nothing was compared"
    tokenizer = load_tokenizer(base_checkpoint(cfg.model), cfg.model.revision)
    if cfg.rollout.backend == "openai":
        from openswerl.rollout.endpoint.agreement import check_endpoint

        return str(check_endpoint(sampler, tokenizer))
    assert sampler.tokenizer is not None
    check_agreement(tokenizer, sampler.tokenizer)
    return "vocabulary, special tokens, chat template and probes are the same"
