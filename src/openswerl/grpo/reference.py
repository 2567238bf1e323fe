"""The policy that the KL term of Eq. 2 holds the trained one to: the base."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from omegaconf import DictConfig
from transformers import PreTrainedModel

from openswerl.models.engine import frozen_copy
from openswerl.models.lora import has_lora, reference_of

Reference = Callable[[], AbstractContextManager[PreTrainedModel]]


def open_reference(grpo: DictConfig, policy: PreTrainedModel) -> Reference | None:
    """Return a context that yields the reference; None if the KL coefficient is 0. Call it before `Engine.start`.

    With adapters it is the policy itself with them off, which costs no memory; else a frozen copy.
    """
    if not grpo.kl_coefficient:
        return None
    if has_lora(policy):
        return lambda: reference_of(policy)
    copy = frozen_copy(policy, grpo.optimiser)
    return lambda: nullcontext(copy)
