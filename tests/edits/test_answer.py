import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import RULES, Answer, Block, FormatError, Notes, Rules, edit, parse, parse_blocks

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
    opening, end = "```\n### a\n<<<<<<< SEARCH\n", "\n>>>>>>> REPLACE\n```"
    for body, closing, rules in itertools.product(("", "x\n", "\n=======\n"), ("", end), RULES.values()):
        try:
            parse_blocks((opening + body) * 20_000 + "`" * 300_000 + closing, Notes(rules))
        except FormatError as error:
            assert error.reason in ("no_blocks", "marker_inside_block")


def strictly(solution: str, **rules: bool) -> tuple[list[Block], tuple[str, ...]]:
    notes = Notes(Rules(**rules) if rules else RULES["strict"])
    return parse_blocks(solution, notes), notes.codes


def fence(path: str, body: str) -> str:
    return f"```python\n### {path}\n<<<<<<< SEARCH\n{body}>>>>>>> REPLACE\n```\n"


def test_no_line_between_the_markers_is_an_empty_half() -> None:
    assert strictly(fence("a", "x\n=======\n")) == ([Block("a", "x", "", removes=True)], ("missing_blank_line",))
    assert strictly(fence("a", "=======\nx\n")) == ([Block("a", "", "x")], ("missing_blank_line",))
    assert strictly(fence("a", "=======\n")) == ([Block("a", "", "", removes=True)], ("missing_blank_line",))


def test_a_blank_line_keeps_its_official_meaning() -> None:
    assert strictly(fence("a", "x\n=======\n\n")) == ([Block("a", "x", "")], ())
    assert strictly(fence("a", "\n=======\nx\n")) == ([Block("a", "", "x")], ())


def test_a_short_block_before_a_good_one_does_not_swallow_it() -> None:
    """By the official reading the first block reaches to the end of the second."""
    for body, first in (("x\n=======\n", Block("a", "x", "", removes=True)), ("=======\nx\n", Block("a", "", "x"))):
        text = fence("a", body) + fence("b", "p\n=======\nq\n")
        assert strictly(text)[0] == [first, Block("b", "p", "q")]
        assert len(parse_blocks(text)) == 1


def test_an_underline_in_a_short_block_can_be_read_in_two_ways_and_is_not_forgiven() -> None:
    for body in ("=======\nText\n=======\n", "Title\n=======\n=======\n"):
        official = [Block(*found.groups()) for found in BLOCK_RULE.finditer(fence("a", body))]
        try:
            assert strictly(fence("a", body))[0] == official
        except FormatError as error:
            assert (error.reason, official) == ("no_blocks", [])


@pytest.mark.parametrize(
    "solution",
    [
        fence("a", "x\n=======\ny\n").removesuffix("```\n") + fence("b", "p\n=======\nq\n").removeprefix("```python\n"),
        "```\n### a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\n```\n" + fence("b", "p\n=======\nq\n"),
        "```\n### a\n<<<<<<< SEARCH\nx\n```\n" + fence("b", "p\n=======\nq\n"),
    ],
    ids=["two blocks in one fence", "a blank line before the closing fence", "a block that stops before the divider"],
)  # fmt: skip
def test_a_block_that_swallows_a_marker_is_refused_or_counted(solution: str) -> None:
    with pytest.raises(FormatError) as caught:
        strictly(solution)
    assert caught.value.reason == "marker_inside_block"
    blocks, events = strictly(solution, forgive_missing_blank_line=True)
    assert (len(blocks), events) == (1, ("marker_inside_block",))


def test_a_fragment_beside_a_good_block_is_counted() -> None:
    good = fence("a", "x\n=======\ny\n")
    assert strictly(good + "```\n### b\n<<<<<<< SEARCH\np\n```") == ([Block("a", "x", "y")], ("incomplete_block",))


def test_an_answer_written_with_carriage_returns_is_read_without() -> None:
    solution = fence("a", "x\ny\n=======\nz\n")
    assert strictly(solution.replace("\n", "\r\n")) == ([Block("a", "x\ny", "z")], ("line_ends",))
    kept = fence("a", "x\r\ny\r\n=======\nz\r\n")
    assert strictly(kept) == ([Block("a", "x\r\ny\r", "z\r")], ())
    with pytest.raises(FormatError):
        parse_blocks(solution.replace("\n", "\r\n"))


@given(SOUP)
def test_what_the_paper_reads_without_damage_is_read_alike_by_the_strict_rules(text: str) -> None:
    official = Notes()
    try:
        blocks = parse_blocks(text, official)
    except FormatError:
        return
    if "marker_inside_block" in official.codes or "<<<<<<< SEARCH\r\n" in text:
        return
    found, events = strictly(text)
    assert [block for block in found if block in blocks] == blocks
    assert found == blocks or "missing_blank_line" in events


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
    for rules in RULES.values():
        try:
            edit({"a.py": "x = 1\n"}, output, rules)
        except FormatError as error:
            assert error.reason and error.detail
