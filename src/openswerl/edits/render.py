"""Write an answer in the form that `parse` and `parse_blocks` read."""

from collections.abc import Sequence

from openswerl.edits.answer import Block, parse, parse_blocks
from openswerl.edits.rules import FormatError


class InexpressibleError(ValueError):
    """An edit that has no SEARCH/REPLACE form, because a text in it looks like a tag or a marker."""


def render(thought: str, blocks: Sequence[Block]) -> str:
    """Return the tagged answer text.

    Raises InexpressibleError if the text would not be read back as the same blocks: there are none, the thought is
    empty, or a tag or a marker line occurs inside a text.
    """
    text = "\n".join(_render_block(block) for block in blocks)
    output = f"<think>\n{thought}\n</think>\n<solution>\n{text}\n</solution>"
    try:
        read_back = parse_blocks(parse(output).solution)
    except FormatError as error:
        raise InexpressibleError(f"{error.reason}: {error.detail}") from None
    if read_back != list(blocks):
        raise InexpressibleError("a text holds a marker line of the answer format")
    return output


def _render_block(block: Block) -> str:
    language = "python" if block.path.endswith(".py") else ""
    return (
        f"```{language}\n### {block.path}\n<<<<<<< SEARCH\n{block.search}\n=======\n{block.replace}\n"
        ">>>>>>> REPLACE\n```"
    )
