import pytest

from openswerl.edits import Block, FormatError, apply

FILES = {"a.py": "def f(a):\n    return a\n\ndef g(a):\n    return a\n", "b.py": "x = 1\ny = 2\n"}


def edit(*blocks: tuple[str, str, str]) -> dict[str, str]:
    return apply(FILES, [Block(*block) for block in blocks])


def test_every_occurrence_is_replaced() -> None:
    assert edit(("a.py", "    return a", "    return 0"))["a.py"] == FILES["a.py"].replace("return a", "return 0")


def test_search_begins_at_a_line_start_but_its_right_edge_is_free() -> None:
    assert edit(("a.py", "def f", "def h")) == {"a.py": FILES["a.py"].replace("def f", "def h")}
    with pytest.raises(FormatError) as caught:
        edit(("a.py", "return a", "return 0"))
    assert caught.value.reason == "search_not_found"


def test_the_first_line_can_be_searched() -> None:
    assert edit(("b.py", "x = 1", "x = 3")) == {"b.py": "x = 3\ny = 2\n"}


def test_a_path_without_a_file_is_an_empty_file() -> None:
    assert edit(("z.py", "", "print(1)")) == {"z.py": "print(1)"}
    with pytest.raises(FormatError) as caught:
        edit(("z.py", "q", "r"))
    assert caught.value.reason == "search_not_found"


def test_an_empty_search_matches_every_line_of_a_file() -> None:
    assert edit(("b.py", "", "# ")) == {"b.py": "# x = 1\n# y = 2\n# "}


def test_an_empty_replace_leaves_an_empty_line() -> None:
    assert edit(("b.py", "y = 2", "")) == {"b.py": "x = 1\n\n"}


def test_blocks_apply_in_sequence() -> None:
    assert edit(("b.py", "x = 1", "x = 9"), ("b.py", "x = 9\ny = 2", "x = 4")) == {"b.py": "x = 4\n"}


def test_an_edit_that_changes_nothing_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        edit(("b.py", "x = 1", "x = 1"))
    assert caught.value.reason == "noop_edit"


def test_an_edit_that_would_exhaust_memory_is_refused() -> None:
    """Each round multiplies the lines by ten; forty rounds would need 10^40 of them."""
    with pytest.raises(FormatError) as caught:
        edit(*[("b.py", "", "x\n" * 9)] * 40)
    assert caught.value.reason == "result_too_large"


def test_the_context_is_left_alone() -> None:
    before = dict(FILES)
    edit(("b.py", "x = 1", "x = 3"))
    assert before == FILES
