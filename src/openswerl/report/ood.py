"""The out-of-domain suites: what the ood stage wrote, and differences between policies on the same items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from openswerl.errors import UserError
from openswerl.report import paper
from openswerl.report.inputs import cells_of, folder_of, input_name
from openswerl.report.paired import Difference, difference, pairs
from openswerl.report.rows import read_document, read_lines


class Outcome(msgspec.Struct, frozen=True):
    """The verdict on one item; `correct` is None where nothing is known of the policy."""

    suite: str
    id: str
    correct: bool | None


class Rates(msgspec.Struct, frozen=True):
    """The numbers of one suite: pass@1 and format of the `n` judged items; None where none was judged.

    `rows` names where the items are from, None for our own; `macro`: `rate` is the mean over groups of items.
    """

    items: int
    n: int
    not_judged: int
    correct: int
    unfinished: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    format: float | None
    format_low: float | None
    format_high: float | None
    macro: bool
    rows: str | None
    quarantined: int
    statuses: dict[str, int]


class Result(msgspec.Struct, frozen=True):
    """What result.json says; all intervals have this `confidence`."""

    sandbox: str
    confidence: float
    suites: dict[str, Rates]


@dataclass(frozen=True)
class Ood:
    """One policy under one seed."""

    policy: str
    seed: int
    result: Result
    outcomes: list[Outcome]


def gather(folders: Mapping[str, Path], policies: Sequence[str], grid: Any) -> list[Ood]:
    """Read the results of these policies, of the grid's seeds and variants.

    Raises UserError if they answered different items.
    """
    cells = cells_of(folders, "ood", policies, grid)
    found = [_read(folder_of(folders, input_name("ood", name, seed)), name, seed) for name, seed in cells]
    for one in found[1:]:
        _check_same(one, found[0])
    return found


def _read(folder: Path, policy: str, seed: int) -> Ood:
    result = read_document(folder / "result.json", Result)
    return Ood(policy, seed, result, read_lines(folder / "outcomes.jsonl", Outcome))


def _check_same(one: Ood, first: Ood) -> None:
    mine, other = ({(row.suite, row.id) for row in item.outcomes} for item in (one, first))
    if mine != other:
        suite, name = sorted(mine ^ other)[0]
        raise UserError(
            f"ood-{one.policy}-seed{one.seed} and ood-{first.policy}-seed{first.seed} answered different items, for "
            f"example {name} of {suite}; run both again on the same rows"
        )


def differences(found: Sequence[Ood], settings: Any) -> Iterator[Difference]:
    """Yield the differences of pass@1 of the report's pairs, suite by suite, seed by seed; `split` is the suite."""
    names = list(dict.fromkeys(one.policy for one in found))
    for suite in suites(found):
        right = {(one.policy, one.seed): _flags(one, suite) for one in found}
        for pair in pairs(names):
            for seed in dict.fromkeys(one.seed for one in found):
                means = [right[name, seed] for name in pair]
                if means[0].keys() & means[1].keys():
                    yield difference(pair, "correct", "greedy", suite, seed, means, settings)


def suites(found: Sequence[Ood]) -> list[str]:
    """Return the names of the suites that were answered, in the order of the paper's table."""
    return [name for name in paper.OOD if found and name in found[0].result.suites]


def _flags(one: Ood, suite: str) -> dict[str, float]:
    rows = (row for row in one.outcomes if row.suite == suite and row.correct is not None)
    return {row.id: float(bool(row.correct)) for row in rows}
