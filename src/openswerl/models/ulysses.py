"""Sequence parallelism, DeepSpeed Ulysses (arXiv 2309.14509): a team of processes reads a packed row together.

Each process of a team holds a stretch of the row. For attention the stretches are exchanged for heads, so that it sees
the whole row of some heads, under the mask of the whole row; the exchange is DeepSpeed's. All else is done token by
token. To DeepSpeed's ZeRO the processes of a team are like any others: a step's gradient is the sum over all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from transformers import PreTrainedModel

from openswerl.errors import UserError
from openswerl.models.distributed import rank, world
from openswerl.models.packing import Packed, Tree

Attention = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
LENGTH_DEPENDENT = ("dynamic", "longrope")


@dataclass(frozen=True)
class Part:
    """What one process reads of a row: its `tokens` and `positions` [1, S / team].

    Of the row's T targets those that its stretch predicts are `own` [T]. They come first in `targets` [M], predicted at
    `sources` [M], an index into the stretch; the rest of M fills up, so that all processes of a team have equally many.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    sources: torch.Tensor
    targets: torch.Tensor
    own: torch.Tensor


@dataclass(frozen=True)
class Team:
    """The processes that share a row: `size` of them in `group`, this one at `place`, from 0."""

    group: dist.ProcessGroup
    size: int
    place: int

    def filled(self, trees: Sequence[Tree]) -> list[Tree]:
        """Return the trees with a document of zeros behind them that makes the row's length a multiple of the team."""
        missing = -sum(map(len, trees)) % self.size
        return [*trees, *([Tree([0] * missing, [])] if missing else [])]

    def part(self, packed: Packed) -> Part:
        """Return this process's part of a row whose length is a multiple of the team."""
        length = packed.tokens.shape[1] // self.size
        mine = slice(self.place * length, (self.place + 1) * length)
        owners = packed.sources // length
        own = owners == self.place
        most = int(torch.bincount(owners, minlength=self.size).max())
        sources, targets = packed.sources[own] - mine.start, packed.targets[own]
        fill = (0, most - len(targets))
        pad = torch.nn.functional.pad
        return Part(packed.tokens[:, mine], packed.positions[:, mine], pad(sources, fill), pad(targets, fill), own)

    def attend(self, whole: Attention, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        """Return [1, S / team, heads, size] of query [1, heads, S / team, size], and key and value of fewer heads.

        `whole` is attention over the row: of [1, heads / team, S, size] it returns [1, S, heads / team, size].
        """
        from deepspeed.sequence.layer import DistributedAttention

        repeats = key_repeats(query.shape[1], key.shape[1], self.size)
        states = (query, key.repeat_interleave(repeats, 1), value.repeat_interleave(repeats, 1))
        exchange = DistributedAttention(
            lambda *heads: whole(*(x.transpose(1, 2) for x in heads)), self.group, scatter_idx=2, gather_idx=1
        )
        out: torch.Tensor = exchange(*(x.transpose(1, 2) for x in states), 0)
        return out

    def join(self, values: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """Return the whole row's [T] of each process's own values, which come first in `values` [M].

        The gradient flows to one's own values alone, so that over the team it is counted once.
        """
        mine = torch.zeros(len(own), dtype=values.dtype, device=values.device).masked_scatter(own, values)
        row = mine.detach().clone()
        dist.all_reduce(row, group=self.group)
        return row + (mine - mine.detach())


def open_team(policy: PreTrainedModel, size: int) -> Team | None:
    """Return this process's team of `size` consecutive processes; None where each reads rows of its own.

    All processes must call it. Raises UserError if the processes or the policy cannot be shared so.
    """
    if size == 1:
        return None
    check_team(policy, size)
    groups = [dist.new_group(list(range(first, first + size))) for first in range(0, world(), size)]
    return Team(groups[rank() // size], size, rank() % size)


def check_team(policy: PreTrainedModel, size: int) -> None:
    """Raise UserError unless `size` divides the processes and the heads, and positions are embedded one by one."""
    config, asked = policy.config.get_text_config(), f"optimiser.sequence_parallel={size}"
    if world() % size:
        raise UserError(f"{asked} does not divide the number of processes, {world()}")
    if config.num_attention_heads % size:
        raise UserError(f"{asked} does not divide the {config.num_attention_heads} attention heads of the model")
    if kinds := _rope_types(getattr(config, "rope_parameters", None) or {}).intersection(LENGTH_DEPENDENT):
        raise UserError(f"{asked} does not go with the model's rope_type {min(kinds)}, which looks at the row's length")


def _rope_types(parameters: Mapping[str, Any]) -> set[Any]:
    """Return the kinds of rotary embedding; some families have one for each type of layer."""
    blocks = [parameters, *(block for block in parameters.values() if isinstance(block, Mapping))]
    return {block.get("rope_type") for block in blocks}


def key_repeats(heads: int, key_heads: int, size: int) -> int:
    """Return how often key heads must be repeated so that each process has those of its query heads, and no other's.

    `size` divides `heads`.
    """
    return next(n for n in range(1, heads // key_heads + 1) if heads % (key_heads * n) == 0 == key_heads * n % size)
