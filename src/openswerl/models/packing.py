"""Lay prompts with all their completions in one row, so that no prompt is read twice and nothing is padding.

A row is `[prompt | c1 | ... | cG | prompt2 | ...]`. A token sees its own prompt and its own completion, causally, and
its position counts along that path: the row holds what padded rows `prompt + ci` hold, once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Tree:
    """A prompt with its completions; a document is a tree with one branch. Neither may be empty."""

    prompt: list[int]
    branches: list[list[int]]

    def __len__(self) -> int:
        """Return the number of tokens in a packed row."""
        return len(self.prompt) + sum(map(len, self.branches))


@dataclass(frozen=True)
class Span:
    """Where a tree lies in the row: its prompt begins at `start` and has `prompt` tokens, then come the branches."""

    start: int
    prompt: int
    branches: tuple[int, ...]

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """First token and end of each branch."""
        ends, at = [], self.start + self.prompt
        for length in self.branches:
            ends.append((at, at + length))
            at += length
        return ends

    @property
    def end(self) -> int:
        """The end of the tree."""
        return self.start + self.prompt + sum(self.branches)


Layout = tuple[Span, ...]


@dataclass(frozen=True)
class Packed:
    """A row: `tokens` and `positions` [1, S], and the T tokens of its branches.

    The branch tokens are `targets` [T]; each is predicted at `sources` [T], an index into the row. `mask`
    [branches, longest] says where they go in a table with a row for each branch.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    layout: Layout
    sources: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor


def pack(trees: Sequence[Tree], device: torch.device) -> Packed:
    """Return the trees in one row, in order."""
    layout = _layout(trees)
    tokens: list[int] = []
    positions: list[int] = []
    sources: list[int] = []
    for tree, span in zip(trees, layout, strict=True):
        tokens += tree.prompt
        positions += range(span.prompt)
        for branch, (first, end) in zip(tree.branches, span.bounds, strict=True):
            tokens += branch
            positions += range(span.prompt, span.prompt + len(branch))
            sources += [span.start + span.prompt - 1, *range(first, end - 1)]
    branches = [branch for tree in trees for branch in tree.branches]
    targets = [token for branch in branches for token in branch]
    row, places, chosen, at = (torch.tensor(x, device=device) for x in (tokens, positions, targets, sources))
    return Packed(row[None], places[None], layout, at, chosen, lengths_mask([*map(len, branches)], device))


def _layout(trees: Sequence[Tree]) -> Layout:
    spans, start = [], 0
    for tree in trees:
        if not tree.prompt or not all(tree.branches):
            raise ValueError("a tree has an empty prompt or branch")
        spans.append(Span(start, len(tree.prompt), tuple(map(len, tree.branches))))
        start += len(tree)
    return tuple(spans)


def lengths_mask(lengths: Sequence[int], device: torch.device) -> torch.Tensor:
    """Return a mask [rows, longest] with the first `lengths[i]` places of row i set."""
    ends = torch.tensor(lengths, device=device)
    return torch.arange(max(lengths), device=device) < ends[:, None]


def pad(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and mask, both [rows, longest], padded with 0 on the right."""
    mask = lengths_mask([*map(len, rows)], device)
    flat = torch.tensor([token for row in rows for token in row], device=device)
    return torch.zeros(mask.shape, dtype=torch.long, device=device).masked_scatter(mask, flat), mask
