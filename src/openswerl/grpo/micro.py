"""What one forward and backward pass works on: some groups, each a prompt with its scored samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from openswerl.grpo.rollouts import Group
from openswerl.grpo.staleness import importance, sampled_logprobs
from openswerl.models.logprobs import TokenLogprobs
from openswerl.models.packing import Tree
from openswerl.rollout import Completion

FILLER = Tree([0], [[0]])
FAR = 1.0  # nats: a token that sampler and trainer see this differently is no rounding error


@dataclass
class Micro:
    """Trees, and [rows] advantages of their branches.

    `old`, `reference` and the importance `weights` are kept from the first iteration on. `worst` is the largest
    difference to a log-probability of the sampler, in nats.

    A filler holds no sample and weighs nothing: it keeps the number of passes equal on all ranks, as ZeRO needs.
    """

    trees: list[Tree]
    advantages: torch.Tensor
    samples: list[Completion]
    old: torch.Tensor | None = None
    reference: torch.Tensor | None = None
    weights: torch.Tensor | None = None
    worst: float = 0.0

    @classmethod
    def of(cls, groups: Sequence[Group], advantages: torch.Tensor, encode: Callable[[Group], list[int]]) -> "Micro":
        """Return the groups' samples that have a reward; `advantages` [prompts, group] is the whole batch's."""
        kept = [(group, [i for i, score in enumerate(group.scores) if score.reward is not None]) for group in groups]
        trees = [Tree(encode(group), [group.completions[i].token_ids for i in rows]) for group, rows in kept]
        gains = [advantages[group.place.number, i] for group, rows in kept for i in rows]
        samples = [group.completions[i] for group, rows in kept for i in rows]
        return cls(trees or [FILLER], torch.tensor(gains or [0.0], dtype=torch.float32), samples)

    def mask(self, now: TokenLogprobs) -> torch.Tensor:
        """Return which tokens carry the loss."""
        return now.mask if self.samples else torch.zeros_like(now.mask)

    def sums(self, now: TokenLogprobs) -> dict[str, float]:
        """Return sums for the log: entropy, tokens forwarded, and how far off the sampler's log-probabilities are."""
        mask = self.mask(now)
        sums = {"entropy": float((now.entropy * mask).sum()), "forwarded": float(sum(map(len, self.trees)))}
        if self.samples and (sampled := sampled_logprobs(self.samples, now.logprobs)) is not None:
            gap = (now.logprobs.detach() - sampled).abs() * mask
            sums |= {"sampler_gap": float(gap.sum()), "sampler_far": float((gap > FAR).sum())}
            self.worst = float(gap.max())
        return sums

    def correct(self, cap: float) -> None:
        """Make the importance weights; a filler has none."""
        assert self.old is not None
        if self.samples:
            self.weights = importance(self.old, sampled_logprobs(self.samples, self.old), cap)


def micro_batches(
    groups: Sequence[Group], size: int, advantages: torch.Tensor, encode: Callable[[Group], list[int]], count: int
) -> list[Micro]:
    """Return the groups `size` at a time, filled up to `count`."""
    parts = [groups[i : i + size] for i in range(0, len(groups), size)]
    return [Micro.of(part, advantages, encode) for part in [*parts, *[[]] * (count - len(parts))]]
