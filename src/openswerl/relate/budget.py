"""Choose the files to show, within a number of files and of bytes. A file is shown whole or not at all."""

from collections.abc import Iterable
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.redact import redact
from openswerl.relate.ranking import Ranked
from openswerl.relate.tree import Tree


class Considered(NamedTuple):
    """A file that was looked at, and what came of it.

    Outcomes: chosen, too_large, not_text, empty, personal_path (which is not kept), or a fault of a model's name.
    """

    path: str
    outcome: str
    score: float = 0.0
    reasons: tuple[str, ...] = ()


def choose(ranking: Iterable[Ranked], tree: Tree, cfg: DictConfig) -> list[Considered]:
    """Return the files looked at, best first, until `max_files` are chosen.

    The chosen files have, all together, at most `max_bytes` of UTF-8; a file too large for the room left is skipped.
    """
    found: list[Considered] = []
    files, room = cfg.max_files, cfg.max_bytes
    for file in ranking:
        if not files:
            break
        size, outcome = _weigh(file.path, tree.text(file.path), room)
        shown = file.path if outcome != "personal_path" else ""
        found.append(Considered(shown, outcome, file.score, file.reasons if shown else ()))
        if outcome == "chosen":
            files, room = files - 1, room - size
    return found


def _weigh(path: str, text: str | None, room: int) -> tuple[int, str]:
    if redact(path).text != path:
        return 0, "personal_path"
    if text is None:
        return 0, "not_text"
    size = len(text.encode())
    return size, "empty" if not size else "too_large" if size > room else "chosen"
