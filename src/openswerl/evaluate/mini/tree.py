"""Print the files of a repository for the localisation prompt, each sample in its own way (Agentless Mini)."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from openswerl.errors import UserError

MOST, INDENT = 5, 4
Node = dict[str, "Node"]


@dataclass(frozen=True)
class Look:
    """How one sample sees a repository: `most` files may be named, `indent` spaces a level, child order by `seed`.

    The default is that of a single greedy sample: names in order.
    """

    most: int = MOST
    indent: int = INDENT
    seed: int | None = None


def draw_look(seed: int) -> Look:
    """Return the look of a sampled answer: 2 to 5 files, an indent of 2 or 4, a child order of its own."""
    rng = random.Random(seed)
    return Look(rng.randint(2, MOST), rng.choice([2, INDENT]), seed)


def print_tree(paths: Iterable[str], look: Look, form: str) -> str:
    """Return the printed tree: indented for `chat`, one full path a line for `compact`.

    Raises UserError for another form.
    """
    root: Node = {}
    for path in paths:
        node = root
        for name in path.split("/"):
            node = node.setdefault(name, {})
    rng = None if look.seed is None else random.Random(look.seed)
    if form == "compact":
        return "\n".join(_full(root, rng, ""))
    if form == "chat":
        return "\n".join(_indented(root, rng, " " * look.indent, 0))
    raise UserError(f"model.prompt={form} is unknown: choose compact or chat")


def _full(node: Node, rng: random.Random | None, above: str) -> list[str]:
    lines = []
    for name in _ordered(node, rng):
        path = f"{above}{name}"
        lines += _full(node[name], rng, f"{path}/") if node[name] else [path]
    return lines


def _indented(node: Node, rng: random.Random | None, indent: str, level: int) -> list[str]:
    lines = []
    for name in _ordered(node, rng):
        lines.append(f"{indent * level}{name}{'/' if node[name] else ''}")
        lines += _indented(node[name], rng, indent, level + 1)
    return lines


def _ordered(node: Node, rng: random.Random | None) -> list[str]:
    names = sorted(node)
    if rng is not None:
        rng.shuffle(names)
    return names
