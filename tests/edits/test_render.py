import pytest

from openswerl.edits import Block, InexpressibleError, parse, parse_blocks, render


def test_the_text_is_exact() -> None:
    blocks = [Block("a.py", "x = 1", "x = 2"), Block("n.txt", "one", "two")]
    assert render("Why.", blocks) == (
        "<think>\nWhy.\n</think>\n<solution>\n"
        "```python\n### a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
        "```\n### n.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n"
        "</solution>"
    )


def test_an_empty_search_is_one_blank_line() -> None:
    text = render("t", [Block("new.py", "", "x = 1\n")])
    assert "<<<<<<< SEARCH\n\n=======\nx = 1\n\n>>>>>>> REPLACE" in text
    assert parse_blocks(parse(text).solution) == [Block("new.py", "", "x = 1\n")]


@pytest.mark.parametrize(
    ("thought", "block"),
    [
        ("", Block("a", "x", "y")),
        ("use the <solution> tag", Block("a", "x", "y")),
        ("t", Block("a", "x", "</think>")),
        ("t", Block("a", "Title\n=======\ntext", "y")),
        ("t", Block("a", "x", "y\n>>>>>>> REPLACE\n```")),
        ("t", Block("a\nb", "x", "y")),
    ],
)
def test_what_cannot_be_read_back_is_refused(thought: str, block: Block) -> None:
    with pytest.raises(InexpressibleError):
        render(thought, [block])


def test_an_answer_without_blocks_is_refused() -> None:
    with pytest.raises(InexpressibleError):
        render("t", [])


def test_an_underline_that_opens_or_closes_a_half_is_fine() -> None:
    blocks = [Block("a.rst", "=======\nText", "Text\n=======")]
    assert parse_blocks(parse(render("t", blocks)).solution) == blocks
