"""Causes of failure and groups of instances as frames. Rates lie between 0 and 1."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, get_args

from pandas import DataFrame

from openswerl.evaluate.results.taxonomy import CAUSES as ALL_CAUSES
from openswerl.evaluate.results.taxonomy import NOT_JUDGED
from openswerl.report.evaluated import Group
from openswerl.report.inputs import Evaluation, Inputs
from openswerl.report.rates import CLUSTERED, Rate, averaged, clustered, independent, instance_means, mean_rate
from openswerl.report.rows import Decoding, Outcome
from openswerl.report.tables.columns import COUNTS, KEY, Cells, rate, rate_cells
from openswerl.report.tables.kinds import COUNT, FLAG, RATE, TEXT, Columns, frame

CAUSES: Columns = {
    **KEY,
    **{"decoding": TEXT, "cause": TEXT, "answers": COUNT, "n": COUNT, "share": RATE, "low": RATE, "high": RATE},
    **{"judged": FLAG, "interval": TEXT},
}
GROUPS: Columns = {**KEY, "decoding": TEXT, "kind": TEXT, "group": TEXT, **COUNTS, **rate("resolved")}
Answers = Mapping[int, Sequence[Outcome]]


def causes(inputs: Inputs, settings: Any) -> DataFrame:
    """Return how many of the `n` answers have each cause that occurs, in order of priority; one cause an answer.

    `judged` is False for causes that say nothing about the policy; shares are of all answers. The rows of seed "all"
    average the seeds of each instance first, and their `n` counts instances.
    """
    return frame(CAUSES, _cause_rows(inputs.evaluations, settings))


def groups(inputs: Inputs) -> DataFrame:
    """Return resolve rates by repository, difficulty and number of oracle files."""
    cells = (
        [item.policy, split, item.seed, decoding, kind, *_group_cells(group)]
        for item in inputs.evaluations
        for split, decodings in item.breakdown.items()
        for decoding, kinds in decodings.items()
        for kind, groups in kinds.items()
        for group in groups
    )
    return frame(GROUPS, cells)


def _cause_rows(evaluations: Sequence[Evaluation], settings: Any) -> Iterator[Cells]:
    policies = dict.fromkeys(item.policy for item in evaluations)
    for policy, split, decoding in product(policies, settings.splits, get_args(Decoding)):
        answers = {item.seed: item.select(decoding, split) for item in evaluations if item.policy == policy}
        occurring = {row.cause for rows in answers.values() for row in rows}
        for cause in (name for name in ALL_CAUSES if name in occurring):
            for seed, *numbers, interval in _shares(answers, cause, decoding, settings):
                yield [policy, split, seed, decoding, cause, *numbers, cause not in NOT_JUDGED, interval]


def _shares(answers: Answers, cause: str, decoding: str, settings: Any) -> Iterator[Cells]:
    """Yield seed, count, n, share and its interval, and the kind of the interval."""
    several = decoding == "sample"
    each = {seed: [row.cause == cause for row in rows] for seed, rows in answers.items()}
    for seed, flags in each.items():
        found = (clustered if several else independent)(answers[seed], flags, settings)
        yield [seed, sum(flags), len(flags), *rate_cells(found), CLUSTERED if several else "Wilson"]
    if len(answers) > 1:
        names, found = _pooled(answers, each, settings)
        yield ["all", sum(map(sum, each.values())), names, *rate_cells(found), CLUSTERED]


def _pooled(answers: Answers, each: Mapping[int, list[bool]], settings: Any) -> tuple[int, Rate]:
    """Return the number of instances, and the share averaged over seeds within each."""
    means = averaged([instance_means(answers[seed], flags) for seed, flags in each.items()])
    return len(means), mean_rate(list(means.values()), settings)


def _group_cells(group: Group) -> Cells:
    rates = [group.resolved_rate, group.resolved_low, group.resolved_high]
    return [group.group, group.instances, group.not_judged, *rates]
