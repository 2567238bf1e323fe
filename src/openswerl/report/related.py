"""What related files change: the same policy trained and evaluated with and without them (paper, section 2)."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from openswerl.config import Cell
from openswerl.report import labels
from openswerl.report.card import name_of
from openswerl.report.inputs import Inputs
from openswerl.report.paired import Difference, difference, with_all
from openswerl.report.rates import MEASURES, policy_means

STAGE = "evaluate"


def without_related(cells: Iterable[Cell]) -> list[str]:
    """Return the policies that were evaluated without related files, named as their evaluations are."""
    own = (cell for cell in cells if cell.stage == STAGE and not cell.cfg.evaluate.related_files)
    names = dict.fromkeys(name_of(cell).removeprefix(f"{STAGE}-") for cell in own)
    return [name for name in names if not labels.is_gate(name)]


def effects(inputs: Inputs, hidden: Iterable[str], settings: Any) -> Iterator[Difference]:
    """Yield each policy with related files minus itself in a variant without them (`hidden`), on the same instances.

    Greedy; over-editing ("extra") is compared where both wrote a patch. Nothing without such a variant.
    """
    names = dict.fromkeys(item.policy for item in inputs.evaluations)
    hidden = [*hidden]
    pairs = [(labels.parted(name)[0], name) for name in names if name in hidden]
    pairs = [(shown, name) for shown, name in pairs if shown in names and shown not in hidden]
    for pair, split, measure, seed in product(pairs, settings.splits, reversed(MEASURES), with_all(inputs.seeds)):
        means = [policy_means(inputs.evaluations, name, seed, "greedy", split, measure) for name in pair]
        if means[0].keys() & means[1].keys():
            yield difference(pair, measure, "greedy", split, seed, means, settings)
