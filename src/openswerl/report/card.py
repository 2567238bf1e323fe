"""The config card: every setting of the method as its cells used it, and where the value is from."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from omegaconf import OmegaConf

from openswerl.config import AXES, GATE, STAGES, Cell, axes
from openswerl.marks import Mark, mark_of

GROUPS = ("model", "prompt", "edits", "rollout", "sft", "grpo", "reward")


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
    users = {name_of(cell): cell for cell in ordered if _uses_a_model(cell)}
    rows = []
    for group in GROUPS:
        readers = [name for name, cell in users.items() if group in STAGES[cell.stage].reads]
        found: dict[str, dict[tuple[str, Mark], list[str]]] = {}
        for name in readers:
            for key, value, mark in _settings(users[name], group):
                found.setdefault(key, {}).setdefault((value, mark), []).append(name)
        for key, values in found.items():
            rows += [CardRow(group, key, *value, _fold(names, readers)) for value, names in values.items()]
    return rows


def name_of(cell: Cell) -> str:
    """Return the stage and its axes without the seed, such as grpo-continuous."""
    own = axes(cell.cfg)
    return "-".join([cell.stage, *(str(own[axis]) for axis in AXES[cell.stage] if axis != "seed")])


def _uses_a_model(cell: Cell) -> bool:
    return "model" in STAGES[cell.stage].reads and not (cell.stage == "evaluate" and cell.cfg.policy in GATE)


def _settings(cell: Cell, group: str) -> Iterator[tuple[str, str, Mark]]:
    """Yield (key within the group, printed value, mark)."""
    for key, value in _leaves(OmegaConf.to_container(cell.cfg[group])):
        yield key, _printed(value), mark_of(f"{group}.{key}", cell.overrides, cell.choices)


def _printed(value: Any) -> str:
    """The value as conf/ writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_printed, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def _leaves(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value) of every value that is not a mapping with keys."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _fold(names: Sequence[str], readers: Sequence[str]) -> str:
    """Name a stage once where all its cells are meant."""
    stages: dict[str, list[str]] = {}
    for name in names:
        stages.setdefault(name.partition("-")[0], []).append(name)
    whole = {stage: [name for name in readers if name.partition("-")[0] == stage] for stage in stages}
    return ", ".join(stage if members == whole[stage] else ", ".join(members) for stage, members in stages.items())
