"""Say where each value of the config is from: the comment that ends its line in conf/."""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from openswerl.compose import CONF, key_of
from openswerl.config import Cell

MARK = re.compile(r"(paper|our choice|engineering)\b:?\s*(.*)")
UNMARKED = "unmarked"


@dataclass(frozen=True)
class Mark:
    """Where a value is from (paper, our choice, engineering, scale, experiment, command line), and why it is so."""

    source: str
    note: str = ""


@functools.cache
def comments(path: Path) -> dict[str, str]:
    """Return {key: the comment that ends its line, or ""} of every value in a YAML file, keys dotted."""
    text = path.read_text(encoding="utf-8")
    lines, found = text.splitlines(), dict(_leaves(yaml.compose(text)))
    ends: dict[int, int] = {}
    for node in found.values():
        ends[node.start_mark.line] = max(_end(node), ends.get(node.start_mark.line, 0))
    return {key: _comment(lines[node.start_mark.line][ends[node.start_mark.line] :]) for key, node in found.items()}


def read_mark(comment: str) -> Mark:
    """Return what a comment says; the source is "unmarked" if it does not start with one."""
    match = MARK.fullmatch(comment)
    return Mark(*match.groups()) if match else Mark(UNMARKED, comment)


def mark_of(key: str, overrides: Iterable[str], choices: Mapping[str, str | None]) -> Mark:
    """Return the mark of `group.key` under Hydra overrides; `choices` is the option of each group.

    The last to set a value counts: command line, experiment, scale, the group's file, the files that it extends.
    """
    if any(f"{key}.".startswith(f"{key_of(item).lstrip('+')}.") for item in overrides if "." in key_of(item)):
        return Mark("command line")
    for group in ("experiment", "scale"):
        said = comments(CONF / group / f"{choices[group]}.yaml") if choices.get(group) else {}
        if key in said:
            return read_mark(said[key]) if said[key] else Mark(group, str(choices[group]))
    group, _, own = key.partition(".")
    files = (comments(path) for path in _extended(group, str(choices[group])))
    return next((read_mark(said[own]) for said in files if own in said), Mark(UNMARKED))


def settings(cell: Cell, group: str) -> Iterator[tuple[str, str, Mark]]:
    """Yield (key within the group, value as conf/ writes it, mark) of what the cell's stage reads."""
    for key, value in leaves(OmegaConf.to_container(cell.view()).get(group, {})):  # type: ignore[union-attr]
        yield key, _printed(value), mark_of(f"{group}.{key}", cell.overrides, cell.choices)


def leaves(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value) of every value that is not a mapping with keys."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _printed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_printed, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def _extended(group: str, option: str) -> Iterator[Path]:
    """Yield an option's file, then those of the same group that its defaults list extends, the last one first."""
    path = CONF / group / f"{option}.yaml"
    yield path
    for parent in reversed((yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("defaults", [])):
        if isinstance(parent, str) and parent != "_self_":
            yield from _extended(group, parent)


def _leaves(node: yaml.Node | None, prefix: str = "") -> Iterator[tuple[str, yaml.Node]]:
    """Yield (dotted key, node) of every value that is not a mapping; a defaults list holds no values."""
    for name, value in node.value if isinstance(node, yaml.MappingNode) else []:
        key = f"{prefix}{name.value}"
        if isinstance(value, yaml.MappingNode) and value.value:
            yield from _leaves(value, f"{key}.")
        elif key != "defaults":
            yield key, value


def _end(node: yaml.Node) -> int:
    """The column where a value ends on its first line."""
    return int(node.end_mark.column) if node.end_mark.line == node.start_mark.line else 0


def _comment(rest: str) -> str:
    """What follows the first `#` after white space."""
    match = re.search(r"(?:^|\s)#\s*(.*)$", rest)
    return match[1].strip() if match else ""
