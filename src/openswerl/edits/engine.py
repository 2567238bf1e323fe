"""Apply blocks to file contents: the one edit rule, for training and evaluation alike."""

from collections.abc import Iterable, Mapping

from openswerl.edits.answer import Block, FormatError

MAX_CHARACTERS = 16 * 1024 * 1024


def apply(context: Mapping[str, str], blocks: Iterable[Block]) -> dict[str, str]:
    """Apply blocks in order and return the new content of every file they touch.

    The official rule: file, SEARCH and REPLACE each get a leading newline, so SEARCH must begin at a line start, while
    its right edge is free; every occurrence is replaced; a path that is not in `context` is an empty file; a later
    block sees what an earlier one wrote. One bad block makes the whole answer bad.

    Raises FormatError: noop_edit (SEARCH equals REPLACE), search_not_found, result_too_large (a file would grow past
    16 Mi characters: an empty SEARCH matches every line, so a few repeated blocks can outgrow any memory).
    """
    new: dict[str, str] = {}
    for block in blocks:
        old = new.get(block.path, context.get(block.path, ""))
        new[block.path] = _replace(old, block)
    return new


def _replace(content: str, block: Block) -> str:
    if block.search == block.replace:
        raise FormatError("noop_edit", f"{block.path}: SEARCH and REPLACE are equal")
    text, search, replace = "\n" + content, "\n" + block.search, "\n" + block.replace
    count = text.count(search)
    if not count:
        raise FormatError("search_not_found", f"{block.path}: SEARCH text does not occur at a line start")
    size = len(text) + count * (len(replace) - len(search))
    if size > MAX_CHARACTERS:
        raise FormatError("result_too_large", f"{block.path}: {size} characters after the edit")
    return text.replace(search, replace)[1:]
