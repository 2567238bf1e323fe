"""Rank unchanged files by weighed evidence, without a model."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.relate.query import Query
from openswerl.relate.signals import Signals, signals
from openswerl.relate.tree import Tree


class Weights(NamedTuple):
    """What each kind of evidence counts."""

    imports: float = 0.0
    together: float = 0.0
    near: float = 0.0
    words: float = 0.0


# Our choice. An import outweighs all else together, and then a common history outweighs the rest.
STATIC = Weights(imports=4.0, together=2.0, near=1.0, words=0.5)
FEW = 10  # candidates; among fewer, what a word is worth (its rarity) is noise
SINGLE = {
    "imports": Weights(imports=1.0),
    "cochange": Weights(together=1.0),
    "path": Weights(near=1.0),
    "bm25": Weights(words=1.0),
}


class Ranked(NamedTuple):
    """A file, its score, and what made it."""

    path: str
    score: float
    reasons: tuple[str, ...]


def rank_static(query: Query, tree: Tree, cfg: DictConfig) -> list[Ranked]:
    """Return the candidates by all evidence, best first, ties by path."""
    return combined(signals(query, tree, cfg))


def combined(evidence: Sequence[Signals]) -> list[Ranked]:
    """Return the files by all evidence; words count in a tree of ten candidates or more."""
    return ranked(evidence, STATIC if len(evidence) >= FEW else STATIC._replace(words=0.0))


def ranked(evidence: Iterable[Signals], weights: Weights) -> list[Ranked]:
    """Return the files with any weighed evidence, best first, ties by path."""
    found = [Ranked(item.path, _score(item, weights), _reasons(item)) for item in evidence]
    return sorted((file for file in found if file.score > 0), key=lambda file: (-file.score, file.path))


def _score(item: Signals, weights: Weights) -> float:
    parts = (float(bool(item.imports)), item.together, item.near, item.words)
    return round(sum(weight * part for weight, part in zip(weights, parts, strict=True)), 6)


def _reasons(item: Signals) -> tuple[str, ...]:
    numbers = {"changed together": item.together, "path": item.near, "words": item.words}
    return (*item.imports, *(f"{name} {value:.2f}" for name, value in numbers.items() if value))
