import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import Answer, Block, FormatError, apply, parse, parse_blocks

TAGS = ["<think>", "</think>", "<solution>", "</solution>"]
PIECES = [
    *TAGS, "```", "```python", "`", "\n", "\r\n", "### a.py", "\n### b.py\n", "<<<<<<< SEARCH", "\n<<<<<<< SEARCH\n",
    "=======", "\n=======\n", ">>>>>>> REPLACE", "\n>>>>>>> REPLACE\n```", "x = 1", " ", "", "\x85", "é",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
BLOCK_RULE = re.compile(
    r"```[^\n]*\n### ([^\n]*)\n<<<<<<< SEARCH\n(.*?)\n=======\n(.*?)\n>>>>>>> REPLACE\n```", re.DOTALL
)


def check_against_rule(text: str) -> None:
    try:
        found = parse_blocks(text)
    except FormatError:
        found = []
    assert found == [Block(*match.groups()) for match in BLOCK_RULE.finditer(text)]


def reason_of(output: str) -> str:
    with pytest.raises(FormatError) as caught:
        parse_blocks(parse(output).solution)
    return caught.value.reason


def test_parts_are_stripped_and_text_outside_is_ignored() -> None:
    assert parse("a <think>\n why \n</think> b <solution>\n x \n</solution> c") == Answer("why", "x")


def test_order_of_the_tags_is_not_checked() -> None:
    assert parse("<solution>x</solution><think>why</think>") == Answer("why", "x")
    assert parse("</think></solution><solution>x<think>why") == Answer("why", "x<think>why")


@pytest.mark.parametrize("tag", TAGS)
def test_a_missing_and_a_repeated_tag_are_told_apart(tag: str) -> None:
    whole = "<think>t</think><solution>x</solution>"
    assert reason_of(whole.replace(tag, "")) == "missing_tag"
    assert reason_of(whole + tag) == "duplicate_tag"


def test_a_blank_thought_is_refused() -> None:
    assert reason_of("<think> \n </think><solution>x</solution>") == "empty_thought"


def test_a_solution_without_a_block_is_refused() -> None:
    assert reason_of("<think>t</think><solution></solution>") == "no_blocks"


def test_blocks_keep_their_order_and_may_use_any_fence_language() -> None:
    solution = (
        "```\n### a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
        "```java extra\n### B.java\n<<<<<<< SEARCH\n\n=======\nq\n\n>>>>>>> REPLACE\n```"
    )
    assert parse_blocks(solution) == [Block("a.py", "x", "y"), Block("B.java", "", "q\n")]


def test_blocks_may_follow_each_other_on_one_fence_line() -> None:
    block = "```\n### a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    assert len(parse_blocks(block + "```" + block + "```")) == 2
    assert len(parse_blocks(block + block + "```")) == 1


def test_a_degenerate_answer_is_read_in_linear_time() -> None:
    """By backtracking this input needs about 10^13 steps, so the test would end in the session's time-out."""
    opening = "```\n### a\n<<<<<<< SEARCH\n\n=======\n" * 20_000
    assert reason_of(f"<think>t</think><solution>{opening}{'`' * 300_000}</solution>") == "no_blocks"


@given(SOUP)
def test_blocks_are_those_of_the_regular_expression(text: str) -> None:
    check_against_rule(text)


@given(
    st.lists(
        st.tuples(st.sampled_from(["```", "```p\n", "`"]), st.sampled_from(["a", "```"]), SOUP, SOUP, st.booleans())
    )
)
def test_blocks_in_well_formed_surroundings_are_those_of_the_regular_expression(parts: list) -> None:
    text = "".join(
        f"{fence}\n### {path}\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n" + "```" * closed
        for fence, path, search, replace, closed in parts
    )
    check_against_rule(text)


@given(st.one_of(st.text(), SOUP, SOUP.map(lambda soup: f"<think>t</think><solution>{soup}</solution>")))
def test_no_output_raises_anything_but_format_errors(output: str) -> None:
    try:
        apply({"a.py": "x = 1\n"}, parse_blocks(parse(output).solution))
    except FormatError as error:
        assert error.reason and error.detail
