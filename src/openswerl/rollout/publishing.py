"""How the weights of a policy in training reach the backend that samples from it."""

from typing import Protocol

from transformers import PreTrainedModel

from openswerl.rollout.local import LocalSampler


class Publisher(Protocol):
    """Makes the sampler answer by the policy as it is now; every process calls it, with the same version.

    `live`: the sampler reads the policy itself, whose parameters must be whole while it does. `follows`: the sampler
    gets the weights at all; one that does not makes every run off-policy.
    """

    live: bool
    follows: bool

    def publish(self, policy: PreTrainedModel, version: int) -> None:
        """Send the weights; completions carry `version` from here on. Raises UserError if they do not arrive."""
        ...


class Live:
    """For a sampler that draws from the policy itself: there is nothing to send."""

    live, follows = True, True

    def __init__(self, sampler: LocalSampler) -> None:
        self.sampler = sampler

    def publish(self, policy: PreTrainedModel, version: int) -> None:
        """Note the version."""
        self.sampler.version = version


class Nowhere:
    """For a model that never receives weights."""

    live, follows = False, False

    def publish(self, policy: PreTrainedModel, version: int) -> None:
        """Send nothing."""
