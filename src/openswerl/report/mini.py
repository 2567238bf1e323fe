"""What the page and the tables show of Agentless Mini, of the causes of failure, and of groups of instances."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from openswerl.evaluate.results.taxonomy import CAUSES, NOT_JUDGED
from openswerl.report.evaluated import Group, MiniSplit
from openswerl.report.inputs import Evaluation, Inputs


@dataclass(frozen=True)
class CauseRow:
    """How many answers of each column have one cause; `judged` is False where it says nothing about the policy."""

    cause: str
    meaning: str
    judged: bool
    counts: list[int]


@dataclass(frozen=True)
class CauseTable:
    """The causes of one decoding on one split, a column an evaluation; each instance is in exactly one row."""

    decoding: str
    split: str
    columns: list[Evaluation]
    rows: list[CauseRow]
    n: int


@dataclass(frozen=True)
class GroupTable:
    """Resolve rates of one decoding by groups of one kind, a column an evaluation."""

    kind: str
    decoding: str
    split: str
    columns: list[Evaluation]
    rows: dict[str, list[Group | None]]

    @property
    def sizes(self) -> dict[str, int]:
        """Instances of each group, judged or not."""
        return {
            name: max(cell.instances + cell.not_judged for cell in cells if cell) for name, cells in self.rows.items()
        }


def has_mini(inputs: Inputs) -> bool:
    """Whether Agentless Mini ran for any policy."""
    return any(row.decoding == "mini" for item in inputs.evaluations for row in item.outcomes)


def steps(inputs: Inputs, split: str) -> list[tuple[Evaluation, MiniSplit]]:
    """Return what each evaluation says of the steps of Agentless Mini on one split."""
    return [(item, item.mini.splits[split]) for item in inputs.evaluations if item.mini and split in item.mini.splits]


def causes(inputs: Inputs, decoding: str, split: str) -> CauseTable | None:
    """Return the causes that occur, judged ones first in order of priority; None without any such answer."""
    answers = [(item, item.select(decoding, split)) for item in inputs.evaluations]
    counts = [(item, Counter(row.cause for row in rows)) for item, rows in answers if rows]
    if not counts:
        return None
    order = sorted(CAUSES, key=lambda cause: cause in NOT_JUDGED)
    rows = [
        CauseRow(cause, CAUSES[cause], cause not in NOT_JUDGED, [count[cause] for _, count in counts])
        for cause in order
        if any(count[cause] for _, count in counts)
    ]
    return CauseTable(decoding, split, [item for item, _ in counts], rows, counts[0][1].total())


def groups(inputs: Inputs, decoding: str, split: str) -> list[GroupTable]:
    """Return one table a kind of group that has at least two groups, the columns being the policies."""
    found = [(item, item.breakdown.get(split, {}).get(decoding, {})) for item in inputs.evaluations]
    kinds = dict.fromkeys(kind for _, own in found for kind in own)
    tables = [_groups(kind, decoding, split, [(item, own.get(kind, [])) for item, own in found]) for kind in kinds]
    return [table for table in tables if len(table.rows) > 1]


def _groups(kind: str, decoding: str, split: str, found: Sequence[tuple[Evaluation, list[Group]]]) -> GroupTable:
    columns = [(item, {group.group: group for group in own}) for item, own in found if own]
    names = dict.fromkeys(name for _, own in columns for name in own)
    rows = {name: [own.get(name) for _, own in columns] for name in names}
    return GroupTable(kind, decoding, split, [item for item, _ in columns], rows)
