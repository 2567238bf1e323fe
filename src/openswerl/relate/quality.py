"""Recall@k and precision@k of predictors against what later commits changed together."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from omegaconf import DictConfig

from openswerl.relate.query import Query
from openswerl.relate.ranking import SINGLE, Ranked, combined, ranked
from openswerl.relate.signals import signals
from openswerl.relate.tree import Tree

KS = (1, 3, 5)
CONFIDENCE, RESAMPLES = 0.95, 2000
HEAD = (
    *("predictor", "k", "n", "repositories"),
    *("recall", "recall_low", "recall_high", "precision", "precision_low", "precision_high"),
)


class Hits(NamedTuple):
    """One predictor on one instance: how many of its first k files are in the truth, for every k, and its size."""

    repo: str
    predictor: str
    hits: tuple[int, ...]
    truth: int


def measure(repo: str, query: Query, tree: Tree, cfg: DictConfig, truth: set[str], model: list[Ranked]) -> list[Hits]:
    """Return the hits of every predictor that needs no model, and of `model`, a model's ranking, if it asked one."""
    evidence = signals(query, tree, cfg)
    rankings = {"static": combined(evidence)}
    rankings |= {name: ranked(evidence, weights) for name, weights in SINGLE.items()}
    if cfg.predictor not in rankings:
        rankings[cfg.predictor] = model
    return list(_hits(repo, rankings, truth))


def _hits(repo: str, rankings: Mapping[str, list[Ranked]], truth: set[str]) -> Iterator[Hits]:
    for name, ranking in rankings.items():
        good = [file.path in truth for file in ranking[: max(KS)]]
        yield Hits(repo, name, tuple(sum(good[:k]) for k in KS), len(truth))


class Quality:
    """Sums over instances with a truth, by predictor and repository: instances, then recall and precision at each k."""

    def __init__(self) -> None:
        self.sums: dict[str, dict[str, NDArray[np.float64]]] = {}

    def add(self, rows: Iterable[Hits]) -> None:
        """Take in the hits of one instance or more; each has a truth of at least one file."""
        for row in rows:
            recall = [hits / row.truth for hits in row.hits]
            precision = [hits / k for hits, k in zip(row.hits, KS, strict=True)]
            numbers = np.array([1.0, *recall, *precision])
            repositories = self.sums.setdefault(row.predictor, {})
            repositories[row.repo] = repositories.get(row.repo, 0.0) + numbers

    @property
    def measured(self) -> int:
        """How many instances there are."""
        return max((int(sum(part[0] for part in sums.values())) for sums in self.sums.values()), default=0)

    def csv(self) -> str:
        """Return one row for each predictor and k: means over instances, with intervals."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(HEAD)
        for name, repositories in self.sums.items():
            table.writerows(_rows(name, np.array([sums for _, sums in sorted(repositories.items())])))
        return text.getvalue()


def _rows(name: str, sums: NDArray[np.float64]) -> Iterator[list[object]]:
    means = sums.sum(0)[1:] / sums.sum(0)[0]
    low, high = _interval(sums)
    for place, k in enumerate(KS):
        cells = [[means[at], low[at], high[at]] for at in (place, len(KS) + place)]
        numbers = [f"{number:.4f}" if not np.isnan(number) else "" for cell in cells for number in cell]
        yield [name, k, int(sums[:, 0].sum()), len(sums), *numbers]


def _interval(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentile bootstrap over repositories, since instances of one repository are alike; nan for one repository."""
    if len(sums) == 1:
        nothing = np.full(sums.shape[1] - 1, np.nan)
        return nothing, nothing
    drawn = np.random.default_rng(0).integers(0, len(sums), size=(RESAMPLES, len(sums)))
    totals = sums[drawn].sum(1)
    low, high = np.quantile(totals[:, 1:] / totals[:, :1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high
