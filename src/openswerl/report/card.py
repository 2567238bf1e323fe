"""The config card: every setting of the method as its cells used it, and where the value is from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openswerl.config import Cell
from openswerl.marks import Mark, settings
from openswerl.stages import AXES, GATE, STAGES, axes

GROUPS = ("relate", "model", "prompt", "edits", "rollout", "sft", "grpo", "reward", "evaluate")


@dataclass(frozen=True)
class CardRow:
    """One setting; `used_by` names the stages or cells that had this value."""

    group: str
    key: str
    value: str
    mark: Mark
    used_by: str


def card_rows(cells: Iterable[Cell]) -> list[CardRow]:
    """Return the settings of GROUPS in these cells, one row a value; seeds of a cell share their settings."""
    ordered = sorted(cells, key=lambda cell: list(STAGES).index(cell.stage))
    users = {name_of(cell): cell for cell in ordered if _counts(cell)}
    rows = []
    for group in GROUPS:
        readers = [name for name, cell in users.items() if _reads(cell, group)]
        found: dict[str, dict[tuple[str, Mark], list[str]]] = {}
        for name in readers:
            for key, value, mark in settings(users[name], group):
                found.setdefault(key, {}).setdefault((value, mark), []).append(name)
        for key, values in found.items():
            rows += [CardRow(group, key, *value, _fold(names, readers)) for value, names in values.items()]
    return rows


def name_of(cell: Cell) -> str:
    """Return the stage and its axes without the seed, such as grpo-continuous or grpo-continuous@kl-0.1."""
    own, variant = axes(cell.cfg), f"@{cell.variant}" if cell.variant else ""
    return "-".join([cell.stage, *(str(own[axis]) for axis in AXES.get(cell.stage, ()) if axis != "seed")]) + variant


def _reads(cell: Cell, group: str) -> bool:
    """Whether the stage reads any key of the group."""
    return any(key == group or key.startswith(f"{group}.") for key in STAGES[cell.stage].reads)


def _counts(cell: Cell) -> bool:
    """Whether the cell is of the method: it asks or trains a policy, or chooses what a prompt shows."""
    gate = cell.stage == "evaluate" and cell.cfg.policy in GATE
    return cell.stage == "relate" or ("model" in STAGES[cell.stage].reads and not gate)


def _fold(names: Sequence[str], readers: Sequence[str]) -> str:
    """Name a stage once where all its cells are meant."""
    stages: dict[str, list[str]] = {}
    for name in names:
        stages.setdefault(name.partition("-")[0], []).append(name)
    whole = {stage: [name for name in readers if name.partition("-")[0] == stage] for stage in stages}
    return ", ".join(stage if members == whole[stage] else ", ".join(members) for stage, members in stages.items())
