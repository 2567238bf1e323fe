"""Over-editing: patches that change files which the reference fix leaves alone (paper 2, why such files are shown)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from openswerl.report.inputs import Evaluation
from openswerl.report.rates import Rate
from openswerl.statistics import wilson


@dataclass(frozen=True)
class EditRow:
    """Greedy patches of one policy on one split under one seed, `n` of them.

    `extra`: the share that changes a file which the reference fix leaves alone; `files`: changed files a patch.
    """

    policy: str
    split: str
    seed: int
    n: int
    extra: Rate
    files: float


def edit_rows(evaluations: Iterable[Evaluation], settings: Any) -> Iterator[EditRow]:
    """Yield a row for every evaluation and split with a judged patch; `settings` is the report config."""
    for item in evaluations:
        for split in settings.splits:
            patches = [row for row in item.select("greedy", split) if row.judged and row.files_changed is not None]
            if n := len(patches):
                over = sum(bool(row.files_extra) for row in patches)
                files = sum(row.files_changed or 0 for row in patches) / n
                extra = Rate(over / n, *wilson(over, n, settings.confidence))
                yield EditRow(item.policy, split, item.seed, n, extra, files)
