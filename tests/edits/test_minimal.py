import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import Block, InexpressibleError, apply, minimal_blocks, parse, parse_blocks, render

LINES = st.lists(st.sampled_from(["a", "b", "ab", "", " ", "    return a", "c\r", "é"]), max_size=14)
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n", "\n\n"]))
NUMBERS = "".join(f"line {n:02}\n" for n in range(30))


def blocks_for(old: str, new: str) -> list[Block]:
    return minimal_blocks({"a.py": old}, {"a.py": new})


def test_a_unique_line_needs_no_context() -> None:
    assert blocks_for(NUMBERS, NUMBERS.replace("line 05", "LINE")) == [Block("a.py", "line 05", "LINE")]


def test_a_repeated_line_gets_the_context_that_makes_it_unique() -> None:
    old = "def f(a):\n    return a\n\ndef g(a):\n    return a\n"
    new = "def f(a):\n    return a + 1\n\ndef g(a):\n    return a\n"
    assert blocks_for(old, new) == [Block("a.py", "def f(a):\n    return a", "def f(a):\n    return a + 1")]


def test_a_line_that_begins_a_longer_line_gets_context() -> None:
    assert blocks_for("x\nxy\n", "z\nxy\n") == [Block("a.py", "x\nxy", "z\nxy")]


def test_a_deletion_and_an_insertion_keep_a_neighbour_line() -> None:
    assert blocks_for("x = 1\ny = 2\n", "x = 1\n") == [Block("a.py", "x = 1\ny = 2", "x = 1")]
    assert blocks_for("x = 1\ny = 2\n", "x = 1\nn = 0\ny = 2\n") == [Block("a.py", "x = 1", "x = 1\nn = 0")]
    assert blocks_for("x = 1\ny = 2\n", "n = 0\nx = 1\ny = 2\n") == [Block("a.py", "x = 1", "n = 0\nx = 1")]


def test_far_changes_are_separate_and_near_ones_share_a_block() -> None:
    far = NUMBERS.replace("line 03", "A").replace("line 20", "B")
    near = NUMBERS.replace("line 03", "A").replace("line 07", "B")
    assert blocks_for(NUMBERS, far) == [Block("a.py", "line 03", "A"), Block("a.py", "line 20", "B")]
    assert blocks_for(NUMBERS, near) == [
        Block("a.py", "line 03\nline 04\nline 05\nline 06\nline 07", "A\nline 04\nline 05\nline 06\nB")
    ]


def test_a_replacement_that_repeats_a_later_search_is_joined_with_it() -> None:
    new = NUMBERS.replace("line 03", "line 20").replace("line 20\nline 21", "Z\nline 21")
    (block,) = blocks_for(NUMBERS, new)
    assert block.search.startswith("line 03\n") and block.search.endswith("\nline 20")
    assert apply({"a.py": NUMBERS}, [block]) == {"a.py": new}


def test_changes_whose_context_overlaps_are_joined_and_others_stay_separate() -> None:
    same = ["r\n"] * 16
    old = "".join(same) + NUMBERS
    new = "".join([*same[:5], "A\n", *same[6:11], "B\n", *same[12:]]) + NUMBERS.replace("line 20", "C")
    first, last = blocks_for(old, new)
    assert "A\n" in first.replace and "B\n" in first.replace
    assert last == Block("a.py", "line 20", "C")
    assert apply({"a.py": old}, [first, last]) == {"a.py": new}


def test_new_and_emptied_files_use_the_blank_line_form() -> None:
    assert minimal_blocks({}, {"n.py": "x = 1\n"}) == [Block("n.py", "", "x = 1\n")]
    assert blocks_for("x = 1\n", "") == [Block("a.py", "x = 1\n", "")]


def test_unchanged_files_get_no_block() -> None:
    assert minimal_blocks({"a": "x\n", "b": "y\n"}, {"a": "x\n"}) == []


@pytest.mark.parametrize("new", ["x\n<think>\n", "Title\n=======\nx\n>>>>>>> REPLACE\n```\n"])
def test_texts_that_look_like_the_format_are_refused(new: str) -> None:
    with pytest.raises(InexpressibleError):
        blocks_for("x\n", new)


@given(st.dictionaries(st.sampled_from(["a.py", "b.txt", "c"]), st.tuples(TEXT, TEXT), min_size=1))
def test_the_blocks_survive_the_answer_and_make_exactly_the_new_files(files: dict[str, tuple[str, str]]) -> None:
    old = {path: sides[0] for path, sides in files.items()}
    changed = {path: sides[1] for path, sides in files.items() if sides[0] != sides[1]}
    blocks = minimal_blocks(old, {path: sides[1] for path, sides in files.items()})
    if not changed:
        assert blocks == []
        return
    read_back = parse_blocks(parse(render("t", blocks)).solution)
    assert apply(old, read_back) == changed


@pytest.mark.parametrize(
    ("old", "new"),
    [("a\nb\na\nb\nb\na\nb\na\nb\nb", "b\na\nb\nb"), ("b\na\nb\nb", "a\nb\na\nb\nb\na\nb\na\nb\nb")],
)
def test_a_change_that_grows_over_the_next_one_is_joined_with_it(old: str, new: str) -> None:
    """The second side of the grown change would reach beyond the new file."""
    blocks = minimal_blocks({"a.py": old}, {"a.py": new})
    assert apply({"a.py": old}, parse_blocks(parse(render("t", blocks)).solution)) == {"a.py": new}


def occurrences(text: str, search: str) -> int:
    return sum(("\n" + text).startswith("\n" + search, at) for at in range(len(text) + 1))


@given(TEXT, TEXT)
def test_every_search_is_unique_in_the_old_file(old: str, new: str) -> None:
    for block in blocks_for(old, new):
        assert occurrences(old, block.search) == 1
        assert block.search or not old
        assert block.replace or not new


@given(TEXT, TEXT)
def test_no_context_line_can_be_dropped(old: str, new: str) -> None:
    """A line equal in both halves at an end may go only if SEARCH stays unique and both halves stay non-empty."""
    blocks = blocks_for(old, new)
    if len(blocks) != 1:
        return
    search, replace = blocks[0].search.split("\n"), blocks[0].replace.split("\n")
    for keep in (slice(1, None), slice(None, -1)):
        dropped = search[0] == replace[0] if keep.start else search[-1] == replace[-1]
        if dropped and "\n".join(search[keep]) and "\n".join(replace[keep]):
            assert occurrences(old, "\n".join(search[keep])) > 1
