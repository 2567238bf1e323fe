import ast

from hypothesis import given
from hypothesis import strategies as st

from openswerl.edits import normalised_key

OLD = {"a.py": 'def f(a):\n    """Doc."""\n    return a\n', "n.txt": "one\n\ntwo\n"}
NO_EDIT = normalised_key({}, {})


def key(path: str, content: str | None) -> str:
    return normalised_key(OLD, {path: content})


def test_comments_docstrings_and_formatting_do_not_count() -> None:
    plain = key("a.py", "def f(a):\n    return a + 1\n")
    assert key("a.py", "# why\ndef f( a ):\n  '''Other.'''\n  return (a+1)  # more\n") == plain
    assert key("a.py", "def f(a):\n    return a + 2\n") != plain


def test_an_edit_of_comments_alone_is_no_edit() -> None:
    assert key("a.py", "# hello\n" + OLD["a.py"]) == NO_EDIT
    assert normalised_key(OLD, OLD) == NO_EDIT


def test_a_body_that_is_only_a_docstring_becomes_pass() -> None:
    assert normalised_key({}, {"c.py": 'class A:\n    """Doc."""\n'}) == normalised_key({}, {"c.py": "class A: pass\n"})
    assert normalised_key({}, {"c.py": '"""Doc."""\n'}) == normalised_key({}, {"c.py": ""}) != NO_EDIT


def test_a_string_that_is_no_docstring_counts() -> None:
    assert key("a.py", "def f(a):\n    return 'x'\n") != key("a.py", "def f(a):\n    return 'y'\n")


def test_python_that_does_not_parse_is_compared_as_text() -> None:
    assert key("a.py", "def f(a:\n\n  return a   \n") == key("a.py", "def f(a:\n  return a\n")
    assert key("a.py", "def f(a:\n  return a\n") != key("a.py", "def f(a:\nreturn a\n")


def test_other_files_lose_blank_lines_and_trailing_space() -> None:
    assert key("n.txt", "one  \ntwo") == NO_EDIT
    assert key("n.txt", "one\n  two\n") != NO_EDIT


def test_removed_new_and_emptied_files_differ() -> None:
    assert len({key("a.py", None), key("a.py", ""), NO_EDIT, key("b.py", ""), key("b.py", "x = 1\n")}) == 5


def test_the_path_counts_and_the_order_of_files_does_not() -> None:
    assert key("b.py", "x = 1\n") != key("c.py", "x = 1\n")
    pair = {"b.py": "x = 1\n", "c.py": "y = 1\n"}
    assert normalised_key({}, pair) == normalised_key({}, dict(reversed(pair.items())))


def test_deep_and_odd_sources_are_taken_as_text() -> None:
    for source in (
        "(" * 5000,
        "+".join("1" * 9000),
        "-" * 100_000 + "1",
        "x = '\0'",
        "x = '\\d'",
        "x = " + "9" * 5000,
        "\ud800",
    ):
        assert key("a.py", source) != NO_EDIT


@given(st.text(st.sampled_from("abx=+1()# \n\t\"'"), max_size=60))
def test_unparsing_a_second_time_keeps_the_key(source: str) -> None:
    try:
        again = ast.unparse(ast.parse(source))
    except (SyntaxError, ValueError):
        return
    assert normalised_key({}, {"a.py": source}) == normalised_key({}, {"a.py": again})
