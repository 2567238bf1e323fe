"""Over-editing: patches that change files which the reference fix leaves alone (paper 2, why such files are shown)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from openswerl.report.inputs import Evaluation
from openswerl.report.rates import Rate, independent, mean_rate, policy_means
from openswerl.report.rows import Outcome


@dataclass(frozen=True)
class EditRow:
    """Greedy patches of one policy on one split under one seed, `n` of them.

    `extra`: the share that changes a file which the reference fix leaves alone; `files`: changed files a patch.
    A seed of "all" averages the seeds of each instance first: `n` are those with a patch under every seed.
    """

    policy: str
    split: str
    seed: int | str
    n: int
    extra: Rate
    files: float


def edit_rows(evaluations: Iterable[Evaluation], settings: Any) -> Iterator[EditRow]:
    """Yield a row for every evaluation and split with a judged patch; `settings` is the report config."""
    for item in evaluations:
        for split in settings.splits:
            if patches := _patches(item, split):
                extra = independent(patches, [bool(row.files_extra) for row in patches], settings)
                yield EditRow(item.policy, split, item.seed, len(patches), extra, _files(patches))


def pooled_edits(evaluations: Sequence[Evaluation], settings: Any) -> Iterator[EditRow]:
    """Yield the rows of seed "all", where there are several seeds."""
    if len({item.seed for item in evaluations}) < 2:
        return
    for policy, split in product(dict.fromkeys(item.policy for item in evaluations), settings.splits):
        if means := policy_means(evaluations, policy, "all", "greedy", split, "extra"):
            own = [row for item in evaluations if item.policy == policy for row in _patches(item, split)]
            files = _files([row for row in own if row.instance_id in means])
            yield EditRow(policy, split, "all", len(means), mean_rate(list(means.values()), settings), files)


def _patches(item: Evaluation, split: str) -> list[Outcome]:
    return [row for row in item.select("greedy", split) if row.judged and row.files_changed is not None]


def _files(patches: Sequence[Outcome]) -> float:
    return sum(row.files_changed or 0 for row in patches) / len(patches)
