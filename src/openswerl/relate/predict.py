"""Choose the relevant unchanged files that a prompt shows beside the files to change."""

from typing import Protocol

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.relate import answers
from openswerl.relate.answers import NO_ANSWER, Answer
from openswerl.relate.budget import Considered, choose
from openswerl.relate.query import Query
from openswerl.relate.ranking import Ranked, rank_static
from openswerl.relate.tree import Tree


class Ranker(Protocol):
    """Ranks files, best first, and tells what is wrong with names that it was given."""

    def __call__(
        self, query: Query, tree: Tree, cfg: DictConfig, answer: Answer
    ) -> tuple[list[Ranked], list[Considered]]:
        """Return the ranking and the faults; `cfg` is conf/relate, `answer` a model's, if the predictor asks one."""
        ...


def _static(query: Query, tree: Tree, cfg: DictConfig, answer: Answer) -> tuple[list[Ranked], list[Considered]]:
    return rank_static(query, tree, cfg), []


PREDICTORS: dict[str, Ranker] = {"static": _static, "llm": answers.rank}


def consider(query: Query, tree: Tree, cfg: DictConfig, answer: Answer = NO_ANSWER) -> list[Considered]:
    """Return every file and name that `cfg.predictor` looked at, and its outcome; `cfg` is conf/relate.

    Deterministic. Raises UserError if there is no such predictor.
    """
    if cfg.predictor not in PREDICTORS:
        raise UserError(f"relate.predictor={cfg.predictor} is unknown; there are: {', '.join(sorted(PREDICTORS))}")
    ranking, faults = PREDICTORS[cfg.predictor](query, tree, cfg, answer)
    return [*choose(ranking, tree, cfg), *faults]


def predict(query: Query, tree: Tree, cfg: DictConfig, answer: Answer = NO_ANSWER) -> list[str]:
    """Return the paths to show beside the changed ones, best first."""
    return [item.path for item in consider(query, tree, cfg, answer) if item.outcome == "chosen"]
