"""Apply blocks to file contents, and `edit`: the one way from an output to new files, for training and evaluation."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from openswerl.edits.answer import Block, parse, parse_blocks
from openswerl.edits.rules import FormatError, Notes, Rules

MAX_GROWTH = 1024 * 1024


class TooLargeError(Exception):
    """The work on an answer may take long."""


class _Room:
    """What applying one answer may still cost: characters read and written, and those that repeated matches add."""

    def __init__(self, effort: float) -> None:
        self.effort, self.growth = effort, MAX_GROWTH

    def work(self, characters: int) -> None:
        self.effort -= characters
        if self.effort < 0:
            raise TooLargeError

    def grow(self, block: Block, characters: int) -> None:
        self.growth -= max(0, characters)
        if self.growth < 0:
            raise FormatError("result_too_large", f"{block.path}: repeated matches add over {MAX_GROWTH} characters")


@dataclass(frozen=True, slots=True)
class Edited:
    """Path to new content of every touched file, the codes of what the rules let through or forgave, the thought."""

    new: dict[str, str]
    events: tuple[str, ...]
    thought: str


def edit(context: Mapping[str, str], output: str, rules: Rules, effort: float = math.inf) -> Edited:
    """Read an output and apply its blocks to the files of `context`; paths are as in `context` where it has them.

    Reward, SFT filters, the gold checks and evaluation all come through here, so a correct format means the same
    everywhere. Raises FormatError, and TooLargeError as `apply`.
    """
    answer, notes = parse(output), Notes(rules)
    new = apply(context, parse_blocks(answer.solution, notes), notes, effort)
    return Edited(new, notes.codes, answer.thought)


def apply(
    context: Mapping[str, str], blocks: Iterable[Block], notes: Notes | None = None, effort: float = math.inf
) -> dict[str, str]:
    """Apply blocks in order and return the new content of every file they touch.

    The official rule, if `notes` is None: file, SEARCH and REPLACE each get a leading newline, so SEARCH must begin at
    a line start, while its right edge is free; every occurrence is replaced; a path that is not in `context` is an
    empty file; a later block sees what an earlier one wrote. One bad block makes the whole answer bad.

    Raises FormatError: noop_edit (SEARCH equals REPLACE), search_not_found, result_too_large (matches beyond each
    block's first add more than 1 Mi characters in all: a few blocks that double what they match can outgrow any
    memory), and partial_line and empty_search_on_file where the rules refuse them. Raises TooLargeError before the
    characters read and written exceed `effort`.
    """
    notes = notes or Notes()
    new: dict[str, str] = {}
    room = _Room(effort)
    for block in blocks:
        path = block.path if block.path in new or block.path in context else _clean(block.path, notes)
        new[path] = _replace(new.get(path, context.get(path, "")), replace(block, path=path), notes, room)
    return new


def _clean(path: str, notes: Notes) -> str:
    """Return an unknown path without spaces at its end and ./ at its start, where the rules forgive them."""
    if path != path.rstrip(" \t") and notes.forgive("path_spaces"):
        path = path.rstrip(" \t")
    if path.startswith("./") and notes.forgive("dot_slash"):
        path = re.sub(r"^(\./+)+", "", path)
    return path


def _replace(content: str, block: Block, notes: Notes, room: _Room) -> str:
    room.work(len(content))
    if block.search == block.replace:
        raise FormatError("noop_edit", f"{block.path}: SEARCH and REPLACE are equal")
    if not block.search and content:
        notes.corrupt("empty_search_on_file", f"{block.path}: SEARCH is empty, but the file is not")
    unix = _unix(content, block) if notes.rules.forgive_line_ends else None
    if unix is not None and (_is_crlf(content) or not _occurs(content, block)):
        edited = _substitute(*unix, notes, room)
        notes.forgive("line_ends")
        return edited.replace("\n", "\r\n") if _is_crlf(content) else edited
    return _substitute(content, block, notes, room)


def _unix(content: str, block: Block) -> tuple[str, Block] | None:
    """Return file and block with the same line ends; None if they have that already or the file mixes them."""
    blocks = replace(block, search=_newlines(block.search), replace=_newlines(block.replace))
    if _is_crlf(content) and "\r" not in block.search:
        return content.replace("\r\n", "\n"), blocks
    return (content, blocks) if blocks != block and "\r" not in content else None


def _is_crlf(content: str) -> bool:
    return "\r\n" in content and content.count("\r\n") == content.count("\n") == content.count("\r")


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\r")


def _occurs(content: str, block: Block) -> bool:
    return f"\n{block.search}" in f"\n{content}"


def _substitute(content: str, block: Block, notes: Notes, room: _Room) -> str:
    text, search = "\n" + content, "\n" + block.search
    new = "" if block.removes else "\n" + block.replace
    count = text.count(search)
    if not count:
        raise FormatError("search_not_found", f"{block.path}: SEARCH text does not occur at a line start")
    whole = re.compile(re.escape(search) + ("(?=\n|\\Z)" if block.removes else "(?=\r?\n|\\Z)"))
    lines = sum(1 for _ in whole.finditer(text)) if block.search else count
    only_whole = 0 < lines < count and notes.rules.refuse_partial_line
    if lines < count and not only_whole:
        notes.corrupt("partial_line", f"{block.path}: SEARCH ends inside a line")
    changed = lines if only_whole else count
    if changed > 1 and block.search:
        notes.add("several_matches")
    room.grow(block, (changed - 1) * (len(new) - len(search)))
    room.work(len(text) + changed * (len(new) - len(search)))
    return (whole.sub(lambda _: new, text) if only_whole else text.replace(search, new))[1:]
