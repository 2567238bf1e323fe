import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.edits import (
    RULES,
    Block,
    Edited,
    FormatError,
    InexpressibleError,
    Notes,
    TooLargeError,
    apply,
    edit,
    minimal_blocks,
    render,
)

FILES = {"a.py": "def f(a):\n    return a\n\ndef g(a):\n    return a\n", "b.py": "x = 1\ny = 2\n"}


def applied(*blocks: tuple[str, str, str]) -> dict[str, str]:
    return apply(FILES, [Block(*block) for block in blocks])


def test_every_occurrence_is_replaced() -> None:
    assert applied(("a.py", "    return a", "    return 0"))["a.py"] == FILES["a.py"].replace("return a", "return 0")


def test_search_begins_at_a_line_start_but_its_right_edge_is_free() -> None:
    assert applied(("a.py", "def f", "def h")) == {"a.py": FILES["a.py"].replace("def f", "def h")}
    with pytest.raises(FormatError) as caught:
        applied(("a.py", "return a", "return 0"))
    assert caught.value.reason == "search_not_found"


def test_the_first_line_can_be_searched() -> None:
    assert applied(("b.py", "x = 1", "x = 3")) == {"b.py": "x = 3\ny = 2\n"}


def test_a_path_without_a_file_is_an_empty_file() -> None:
    assert applied(("z.py", "", "print(1)")) == {"z.py": "print(1)"}
    with pytest.raises(FormatError) as caught:
        applied(("z.py", "q", "r"))
    assert caught.value.reason == "search_not_found"


def test_an_empty_search_matches_every_line_of_a_file() -> None:
    assert applied(("b.py", "", "# ")) == {"b.py": "# x = 1\n# y = 2\n# "}


def test_an_empty_replace_leaves_an_empty_line() -> None:
    assert applied(("b.py", "y = 2", "")) == {"b.py": "x = 1\n\n"}


def test_blocks_apply_in_sequence() -> None:
    assert applied(("b.py", "x = 1", "x = 9"), ("b.py", "x = 9\ny = 2", "x = 4")) == {"b.py": "x = 4\n"}


def test_an_edit_that_changes_nothing_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        applied(("b.py", "x = 1", "x = 1"))
    assert caught.value.reason == "noop_edit"


def test_an_edit_that_would_exhaust_memory_is_refused() -> None:
    """Each round multiplies the lines by ten; forty rounds would need 10^40 of them."""
    with pytest.raises(FormatError) as caught:
        applied(*[("b.py", "", "x\n" * 9)] * 40)
    assert caught.value.reason == "result_too_large"


def doublings(count: int) -> list[Block]:
    return [Block("b.c", "}", "}\n}")] * count


@pytest.mark.parametrize("rules", RULES)
def test_repeated_matches_add_at_most_a_mebi_of_characters(rules: str) -> None:
    """After n doublings the file has 2^n lines of two characters; the first match of each of them is free."""
    assert len(apply({"b.c": "}\n"}, doublings(19), Notes(RULES[rules]))["b.c"]) == 2 * 2**19
    with pytest.raises(FormatError) as caught:
        apply({"b.c": "}\n"}, doublings(20), Notes(RULES[rules]))
    assert caught.value.reason == "result_too_large"


def test_a_large_file_is_no_fault_of_an_answer() -> None:
    """Nor is a large REPLACE: only matches beyond the first multiply."""
    large = "x = 1\n" * 400_000
    assert apply({"f": "a\n" + large}, [Block("f", "a", "b")]) == {"f": "b\n" + large}
    assert apply({}, [Block("n", "", large)]) == {"n": large}


def test_work_past_the_allowed_effort_is_not_begun() -> None:
    """The first step reads 2 characters and writes 5 with the newline before the file, the second reads 4."""
    for count, effort in ((1, 6), (2, 10)):
        with pytest.raises(TooLargeError):
            apply({"b.c": "}\n"}, doublings(count), effort=effort)
    with pytest.raises(TooLargeError):
        edit({"b.c": "}\n"}, render("t", doublings(22)), STRICT, effort=100_000)
    assert apply({"b.c": "}\n"}, doublings(1), effort=7) == {"b.c": "}\n}\n"}


def test_the_context_is_left_alone() -> None:
    before = dict(FILES)
    applied(("b.py", "x = 1", "x = 3"))
    assert before == FILES


STRICT = RULES["strict"]
LINES = st.lists(st.sampled_from(["a", "b", "ab", "", " ", "c\r", "=======", "### a"]), max_size=10)
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n", "\r\n"]))


def strictly(files: dict[str, str], *blocks: Block) -> tuple[dict[str, str], tuple[str, ...]]:
    notes = Notes(STRICT)
    return apply(files, blocks, notes), notes.codes


def refused(files: dict[str, str], *blocks: Block) -> str:
    with pytest.raises(FormatError) as caught:
        strictly(files, *blocks)
    return caught.value.reason


def test_edit_returns_files_events_and_thought() -> None:
    output = render("why", [Block("./b.py", "x = 1", "x = 3")])
    assert edit(FILES, output, STRICT) == Edited({"b.py": "x = 3\ny = 2\n"}, ("dot_slash",), "why")
    with pytest.raises(FormatError):
        edit(FILES, output, RULES["paper"])


def test_a_search_that_ends_inside_a_line_is_refused_or_counted() -> None:
    assert refused(FILES, Block("a.py", "def f", "def h")) == "partial_line"
    notes = Notes()
    apply(FILES, [Block("a.py", "def f", "def h")], notes)
    assert notes.codes == ("partial_line",)


def test_whole_lines_are_replaced_beside_a_longer_line_that_begins_alike() -> None:
    """The official rule changes both lines."""
    files = {"a": "x\nxy\nx"}
    assert strictly(files, Block("a", "x", "z")) == ({"a": "z\nxy\nz"}, ("several_matches",))
    assert strictly({"a": "x\nxy\n"}, Block("a", "x", "z")) == ({"a": "z\nxy\n"}, ())
    assert apply(files, [Block("a", "x", "z")]) == {"a": "z\nzy\nz"}


def test_an_empty_search_is_for_new_and_empty_files_alone() -> None:
    assert refused(FILES, Block("b.py", "", "# ")) == "empty_search_on_file"
    assert strictly({"e.py": ""}, Block("e.py", "", "x"), Block("n.py", "", "y")) == ({"e.py": "x", "n.py": "y"}, ())
    assert refused({}, Block("n.py", "", "x"), Block("n.py", "", "y")) == "empty_search_on_file"


@pytest.mark.parametrize(
    ("old", "search", "new"),
    [
        ("a\nb\nc\n", "b", "a\nc\n"),
        ("a\nb\n", "a", "b\n"),
        ("a\nb", "b", "a"),
        ("a\n", "a", ""),
        ("a", "a", ""),
        ("a\nb\nc\nd\n", "b\nc", "a\nd\n"),
        ("a\n\nb\n", "a\n", "b\n"),
        ("b\na\na\n", "a", "b\n"),
    ],
)
def test_a_replace_of_no_line_removes_the_lines(old: str, search: str, new: str) -> None:
    assert strictly({"f": old}, Block("f", search, "", removes=True))[0] == {"f": new}


def test_paths_are_cleaned_only_where_the_files_do_not_have_them() -> None:
    edited = ({"b.py": "x = 3\ny = 2\n"}, ("path_spaces", "dot_slash"))
    assert strictly(FILES, Block(".//./b.py \t", "x = 1", "x = 3")) == edited
    odd = {"b.py": "x", "b.py ": "x", "./b.py": "x"}
    for path in odd:
        assert strictly(odd, Block(path, "x", "y")) == ({path: "y"}, ())


def test_two_names_of_one_file_meet() -> None:
    blocks = Block("./n.py", "", "x"), Block("n.py", "x", "y"), Block("n.py ", "y", "z")
    assert strictly({}, *blocks)[0] == {"n.py": "z"}


def test_line_ends_of_the_file_are_kept() -> None:
    crlf = {"f": "a\r\nb\r\nc\r\n"}
    for end in ("\n", "\r\n"):
        search, replace = f"a{end}b", f"x{end}y{end}z"
        assert strictly(crlf, Block("f", search, replace))[0] == {"f": "x\r\ny\r\nz\r\nc\r\n"}
    assert strictly({"f": "a\nb\n"}, Block("f", "a\r\nb\r", "x\r")) == ({"f": "x\n"}, ("line_ends",))
    assert strictly(crlf, Block("f", "b", "", removes=True)) == ({"f": "a\r\nc\r\n"}, ("line_ends",))


def test_a_file_of_mixed_line_ends_is_taken_as_it_stands() -> None:
    mixed = {"f": "a\r\nb\nc\n"}
    assert strictly(mixed, Block("f", "a\r\nb", "x")) == ({"f": "x\nc\n"}, ())
    assert refused(mixed, Block("f", "a\nb", "x")) == "search_not_found"


@settings(deadline=None)
@given(TEXT, TEXT)
def test_minimal_blocks_make_the_same_files_by_all_rules(old: str, new: str) -> None:
    try:
        blocks = minimal_blocks({"f": old}, {"f": new})
    except InexpressibleError:
        return
    assert apply({"f": old}, blocks, Notes(STRICT)) == apply({"f": old}, blocks)


@settings(deadline=None)
@given(TEXT, st.lists(st.builds(Block, st.sampled_from(["f", "./f", "g "]), TEXT, TEXT), max_size=3))
def test_with_every_switch_off_nothing_is_forgiven_and_with_all_on_no_more_is_damaged(
    old: str, blocks: list[Block]
) -> None:
    """An answer that the official rule reads without damage makes the same files by the strict rules."""
    notes = Notes()
    try:
        official = apply({"f": old}, blocks, notes)
    except FormatError:
        return
    assert not set(notes.codes) & {"line_ends", "dot_slash", "path_spaces", "missing_blank_line"}
    if notes.codes or "\r" in old or any(block.path != "f" for block in blocks):
        return
    assert apply({"f": old}, blocks, Notes(STRICT)) == official


@settings(deadline=None)
@given(TEXT, st.lists(st.builds(Block, st.just("f"), TEXT, TEXT), max_size=3), st.integers(0, 200))
def test_a_limit_of_effort_changes_no_result(old: str, blocks: list[Block], effort: int) -> None:
    def outcome(allowed: float) -> object:
        try:
            return apply({"f": old}, blocks, effort=allowed)
        except FormatError as error:
            return error.reason

    try:
        limited = outcome(effort)
    except TooLargeError:
        return
    assert limited == outcome(math.inf)
