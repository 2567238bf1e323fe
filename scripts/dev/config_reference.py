"""Write the reference of every config key, from the schema, conf/ and the comments there."""

import dataclasses
import math
import sys
import types
import typing
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from openswerl.compose import CONF, load
from openswerl.config import Cell
from openswerl.limits import CHOICES, LIMITS
from openswerl.marks import UNMARKED, comments, leaves, mark_of, read_mark
from openswerl.schema import Config
from openswerl.stages import STAGES

HEAD = """\
# Every key

Made from `src/openswerl/schema/`, `conf/` and its comments. *Default* is the laptop's value, *paper* the one at
`scale=paper` where it differs. *From* says where the default is from: the paper, our choice, or engineering, and why.
*Read by* names the stages whose results change with the key; in brackets those for which it only says how they run.
What each group is for is in [the configuration](groups.md).
"""
COLUMNS = ("key", "type", "default", "paper", "allowed", "from", "read by")


def type_of(key: str) -> str:
    """Return the type that the schema gives a key; that of a mapping's values where its own keys are free."""
    kind: Any = Config
    for name in key.split("."):
        if not dataclasses.is_dataclass(kind):
            values = typing.get_args(kind)
            kind = values[1] if typing.get_origin(kind) is dict else kind
            if not dataclasses.is_dataclass(kind):
                break
            if name not in {item.name for item in dataclasses.fields(kind)}:
                continue
        kind = typing.get_type_hints(kind)[name]
    return _type_name(kind)


def _type_name(kind: Any) -> str:
    if isinstance(kind, types.UnionType):
        return " or ".join("null" if part is types.NoneType else _type_name(part) for part in typing.get_args(kind))
    if typing.get_origin(kind) is not None:
        return str(kind).replace("typing.", "")
    return "mapping" if dataclasses.is_dataclass(kind) else str(getattr(kind, "__name__", kind))


def allowed(key: str) -> str:
    """Return the range or the names that a key may take; empty if any value of its type will do."""
    if key in CHOICES:
        return ", ".join(f"`{name}`" for name in CHOICES[key])
    least, greatest = LIMITS.get(key, (None, None))
    if least is None:
        return ""
    return f"at least {least}" if greatest == math.inf else f"{least} to {greatest}"


def readers(key: str) -> str:
    """Return the stages that read a key, in brackets where it is not part of their results' identity."""
    found = [stage for stage, spec in STAGES.items() if _among(key, spec.reads)]
    only_how = [stage for stage, spec in STAGES.items() if _among(key, spec.untracked)]
    return ", ".join([*found, *(f"({stage})" for stage in only_how)])


def _among(key: str, read: tuple[str, ...]) -> bool:
    return any(f"{key}.".startswith(f"{part}.") for part in read)


def row(key: str, value: Any, paper: Any) -> str:
    """Return a key's line of its table."""
    choices = Cell("report", ()).choices
    of_a_group = key.partition(".")[0] in choices
    mark = mark_of(key, (), choices) if of_a_group else read_mark(comments(CONF / "config.yaml").get(key, ""))
    said = (
        mark.note if mark.source == UNMARKED else f"{mark.source}{' ' if mark.source == 'paper' else ': '}{mark.note}"
    )
    other = "" if paper == value else shown(paper)
    cells = (f"`{key}`", type_of(key), shown(value), other, allowed(key), said, readers(key))
    return "| " + " | ".join(cell.replace("|", r"\|").replace("<", "&lt;") for cell in cells) + " |"


def shown(value: Any) -> str:
    """Return a value as conf/ writes it, in code."""
    text = OmegaConf.to_yaml([value]).strip().removeprefix("- ") if not isinstance(value, list) else str(value)
    return f"`{' '.join(text.split())}`"


def options(group: str) -> str:
    """Return a list of a group's files, and what the first line of each says of it."""
    found = []
    for path in sorted((CONF / group).glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        said = next((line[1:].strip() for line in lines if line.startswith("# ") and "@package" not in line), "")
        found.append(f"- `{group}={path.stem}`" + (f": {said}" if said else ""))
    return "\n".join(found)


def page() -> str:
    """Return the whole page, one section for each group of conf/."""
    tree, paper = (OmegaConf.to_container(load(*over), resolve=False) for over in ((), ("scale=paper",)))
    at_paper = dict(leaves(typing.cast(dict[str, Any], paper)))
    tables: dict[str, list[str]] = {}
    for key, value in leaves(typing.cast(dict[str, Any], tree)):
        group = key.partition(".")[0] if (CONF / key.partition(".")[0]).is_dir() else "config.yaml"
        tables.setdefault(group, []).append(row(key, value, at_paper.get(key, value)))
    head = "\n".join(["| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"])
    sections = (f"## {group}\n\n{options(group)}\n\n{head}\n" + "\n".join(rows) for group, rows in tables.items())
    return HEAD + "\n" + "\n\n".join(sections) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
