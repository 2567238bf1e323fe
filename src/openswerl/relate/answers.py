"""Read a model's answer, and check every name in it against the tree: nothing that is not there is passed on."""

from collections.abc import Iterator
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.redact import redact
from openswerl.relate.budget import Considered
from openswerl.relate.languages import is_test
from openswerl.relate.query import Query
from openswerl.relate.ranking import Ranked
from openswerl.relate.tree import Tree

OPEN, CLOSE = "<files>", "</files>"
SHOWN = 200


class Answer(NamedTuple):
    """What a model said, and whether it came to an end; `fault` says why it was not asked."""

    text: str
    finished: bool = True
    fault: str = ""


NO_ANSWER = Answer("", fault="not_asked")


def named(text: str) -> list[str] | None:
    """Return the lines between the tags, which must be there once, in order; None for another form."""
    if text.count(OPEN) != 1 or text.count(CLOSE) != 1 or text.index(OPEN) > text.index(CLOSE):
        return None
    inside = text.partition(OPEN)[2].partition(CLOSE)[0]
    return [line.strip() for line in inside.split("\n") if line.strip()]


def rank(query: Query, tree: Tree, cfg: DictConfig, answer: Answer) -> tuple[list[Ranked], list[Considered]]:
    """Return the good names in the model's order, and the others, redacted, with a fault.

    Faults of names: hallucinated (no regular file of the tree), changed, duplicate, test (unless
    `cfg.include_tests`). Faults of answers: malformed, unfinished, prompt_too_long, not_asked.
    """
    lines = named(answer.text)
    if answer.fault or lines is None:
        return [], [Considered("", answer.fault or ("malformed" if answer.finished else "unfinished"))]
    checked = list(_checked(lines, query, tree, cfg))
    good = [path for path, fault in checked if not fault]
    reasons = (f"named by {cfg.llm.model.name}",)
    ranking = [Ranked(path, round(1 / place, 6), reasons) for place, path in enumerate(good, start=1)]
    return ranking, [Considered(redact(path).text[:SHOWN], fault) for path, fault in checked if fault]


def _checked(lines: list[str], query: Query, tree: Tree, cfg: DictConfig) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for path in lines:
        if path in seen:
            yield path, "duplicate"
        elif path in query.changed:
            yield path, "changed"
        elif path not in tree.blobs:
            yield path, "hallucinated"
        elif is_test(path) and not cfg.include_tests:
            yield path, "test"
        else:
            yield path, ""
        seen.add(path)
