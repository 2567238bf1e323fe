"""Which documents lie in which row of tokens: a pure function of their lengths and the seed."""

import itertools
import random
from collections.abc import Iterator, Sequence

from openswerl.models.packing import Tree

Row = list[Tree]


def fill_rows(
    own: Sequence[Tree], general: Sequence[Tree], *, rows: int, row_tokens: int, share: float, seed: int
) -> list[Row]:
    """Return `rows` rows of up to `row_tokens` tokens, filled in order from an endless shuffled stream of documents.

    A document is not cut: what does not fit begins the next row. `share` of the documents are general ones.
    """
    stream = _mixed(own, general, share, seed)
    filled: list[Row] = []
    row: Row = []
    room = row_tokens
    while len(filled) < rows:
        document = next(stream)
        if len(document) > room:
            filled.append(row)
            row, room = [], row_tokens
        row.append(document)
        room -= len(document)
    return filled


def pack_rows(documents: Sequence[Tree], row_tokens: int) -> list[Row]:
    """Return all documents once, in order, in rows of up to `row_tokens` tokens."""
    filled: list[Row] = []
    room = 0
    for document in documents:
        if len(document) > room:
            filled.append([])
            room = row_tokens
        filled[-1].append(document)
        room -= len(document)
    return filled


def answer_tokens(rows: Sequence[Row]) -> int:
    """Return how many tokens carry loss."""
    return sum(len(branch) for row in rows for document in row for branch in document.branches)


def _mixed(own: Sequence[Tree], general: Sequence[Tree], share: float, seed: int) -> Iterator[Tree]:
    ours, theirs = _shuffled(own, f"{seed} own"), _shuffled(general, f"{seed} general")
    rng = random.Random(f"{seed} mix")
    while True:
        yield next(theirs if rng.random() < share else ours)


def _shuffled(documents: Sequence[Tree], name: str) -> Iterator[Tree]:
    """Yield epochs without end, each in an order of its own."""
    for epoch in itertools.count():
        order = list(range(len(documents)))
        random.Random(f"{name} epoch {epoch}").shuffle(order)
        yield from (documents[i] for i in order)
