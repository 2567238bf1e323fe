"""Samplers of a policy in training, and how they follow it."""

import sys

from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.distributed import is_main
from openswerl.rollout.local import LocalSampler
from openswerl.rollout.publishing import Live, Nowhere, Publisher
from openswerl.rollout.recording import recorded
from openswerl.rollout.samples import Sampler


def policy_sampler(
    policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, cfg: DictConfig
) -> tuple[Sampler, Publisher]:
    """Return the sampler that `cfg.rollout` names for a policy in training, and what keeps it up to date.

    Its answers are recorded if `serving.record` says so. Raises UserError for a backend that cannot follow a policy,
    unless `rollout.off_policy` allows that.
    """
    sampler, publisher = _open(policy, tokenizer, cfg)
    return recorded(sampler, cfg.serving), publisher


def _open(policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, cfg: DictConfig) -> tuple[Sampler, Publisher]:
    backend = cfg.rollout.backend
    if backend == "local":
        sampler = LocalSampler(policy, tokenizer, cfg.model, cfg.rollout)
        return sampler, Live(sampler)
    if backend == "vllm":
        from openswerl.rollout.vllm.opening import open_policy

        return open_policy(policy, tokenizer, cfg)
    check_follows(cfg.rollout)
    return _elsewhere(tokenizer, cfg), Nowhere()


def check_follows(rollout: DictConfig) -> None:
    """Raise UserError for a backend that cannot follow a policy, unless `rollout.off_policy` allows that."""
    if rollout.backend == "replay":
        raise UserError("grpo cannot train on rollout.backend=replay, which is no policy: choose local, vllm or openai")
    if rollout.backend == "openai" and not rollout.off_policy:
        raise UserError(
            "rollout=openai never receives the weights that grpo trains, so that its samples are those of another "
            "policy: choose rollout=local or rollout=vllm, or allow it with rollout.off_policy=true"
        )


def _elsewhere(tokenizer: PreTrainedTokenizerBase, cfg: DictConfig) -> Sampler:
    from openswerl.rollout.endpoint.agreement import check_endpoint
    from openswerl.rollout.openai import OpenAiSampler

    sampler = OpenAiSampler.for_policy(cfg.model, cfg.rollout, cfg.serving, tokenizer)
    check_endpoint(sampler, tokenizer)
    if is_main():
        corrected = "importance weights correct for that" if cfg.rollout.stale == "correct" else "nothing corrects that"
        print(
            f"grpo: warning: off-policy: {sampler.channel.base_url} never receives the weights, and {corrected} "
            "(rollout.stale); watch sampler_gap",
            file=sys.stderr,
            flush=True,
        )
    return sampler
