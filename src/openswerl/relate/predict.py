"""Choose the relevant unchanged files that a prompt shows beside the files to change."""

from collections.abc import Callable, Sequence

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.relate.ranking import Ranked, rank_static
from openswerl.relate.tree import Tree

PREDICTORS: dict[str, Callable[[Sequence[str], Tree, DictConfig], list[Ranked]]] = {"static": rank_static}


def rank(changed: Sequence[str], tree: Tree, cfg: DictConfig) -> list[Ranked]:
    """Return the ranking of `cfg.predictor`, `cfg` being conf/relate. Raises UserError if there is no such one."""
    if cfg.predictor not in PREDICTORS:
        raise UserError(f"relate.predictor={cfg.predictor} is unknown; there are: {', '.join(sorted(PREDICTORS))}")
    return PREDICTORS[cfg.predictor](changed, tree, cfg)


def choose(ranking: Sequence[Ranked], tree: Tree, cfg: DictConfig) -> list[Ranked]:
    """Return the best ranked text files within `max_files` and, all together, `max_bytes`.

    A file that is empty or too big for the room left is passed over.
    """
    chosen: list[Ranked] = []
    room = cfg.max_bytes
    for file in ranking:
        if len(chosen) >= cfg.max_files:
            break
        size = len((tree.text(file.path) or "").encode())
        if 0 < size <= room:
            chosen.append(file)
            room -= size
    return chosen


def predict(changed: Sequence[str], tree: Tree, cfg: DictConfig) -> list[str]:
    """Return the paths to show beside the changed ones, best first; `cfg` is conf/relate. Deterministic."""
    return [file.path for file in choose(rank(changed, tree, cfg), tree, cfg)]
