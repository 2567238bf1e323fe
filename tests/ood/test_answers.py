import ast
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.ood.answers import answer_line, boxed, fenced, final, function, tree
from openswerl.ood.suite import NoAnswer

MARKS = ["<think>", "</think>", "<solution>", "</solution>", "```python\n", "\n```\n", "Answer: 4", "\\boxed{"]
WORDS = st.text(st.sampled_from("ab `{}\\\n:")) | st.sampled_from([*MARKS, "def f(x):\n"])
TEXTS = st.lists(WORDS, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("plain", "plain"),
        ("    return 1\n", "    return 1"),
        ("<think>a</think>\nb", "b"),
        ("opened by the template</think>b", "b"),
        ("<think>no end", ""),
        ("a <think>no end", "a "),
        ("<think>x <solution>not this</solution></think><solution>\nb\n</solution> more", "b"),
        ("<solution>cut off", "cut off"),
    ],
)
def test_what_follows_the_thinking_counts(output: str, said: str) -> None:
    assert final(output) == said


@given(TEXTS)
def test_thinking_never_leaks_into_an_answer(text: str) -> None:
    quiet = text.replace("think>", "")
    assert final(f"<think>Answer: 1{quiet}</think>ok") == "ok"
    assert "<think>" not in final(text) and "</think>" not in final(text)


def test_fences_are_found_closed_or_not() -> None:
    assert fenced("a\n```python\nx = 1\n```\nb\n```\ny\n") == ["x = 1\n", "y\n"]
    assert fenced("nothing") == []


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Answer: 12", "12"),
        ("answer : 1\nso\n**Answer:** $\\frac{1}{2}$", "$\\frac{1}{2}$"),
        ("The final answer: B.", "B."),
        ("Answer:", None),
        ("the answer is 4", None),
    ],
)
def test_the_last_answer_line_counts(said: str, line: str | None) -> None:
    assert answer_line(said) == line


@pytest.mark.parametrize(
    ("said", "inside"),
    [
        (r"\boxed{1} and \boxed{\frac{3}{4}}.", r"\frac{3}{4}"),
        (r"\boxed{}", ""),
        (r"\boxed{1", None),
        ("1", None),
    ],
)
def test_the_last_box_counts(said: str, inside: str | None) -> None:
    assert boxed(said) == inside


@given(st.recursive(st.sampled_from(["a", "\\frac", "1 "]), lambda inner: inner.map(lambda text: f"{{{text}}}")))
def test_what_is_boxed_comes_back(inside: str) -> None:
    assert boxed(f"so $\\boxed{{{inside}}}$ {{") == inside.strip()


HEAD = 'import math\n\n\ndef f(x):\n    """Return x."""\n'


@pytest.mark.parametrize(
    "said",
    [
        "def f(x):\n    return x",
        "Here it is:\n```python\ndef f(x):\n    return x\n```\nDone.",
        "```python\ndef g(x):\n    return 2\n```\n```\ndef f(x):\n    return x\n```",
        "    return x",
        "```python\n    return x\n```",
    ],
)
def test_a_function_is_found_whole_or_as_a_continuation(said: str) -> None:
    source = function(said, "f", HEAD)
    scope: dict = {}
    exec(source, scope)
    assert scope["f"](7) == 7


@pytest.mark.parametrize(
    "said", ["", "words", "def f(x):\nreturn x", "def g(x):\n    return x", HEAD, "\0", "(" * 9999]
)
def test_what_is_no_function_is_no_answer(said: str) -> None:
    with pytest.raises(NoAnswer, match="no_function"):
        function(said, "f", HEAD)


@given(TEXTS)
def test_every_text_is_read_without_an_error(text: str) -> None:
    with contextlib.suppress(NoAnswer):
        source = function(final(text), "f", HEAD)
        assert "f" in {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    assert answer_line(text) is None or answer_line(text) in text
    assert boxed(text) is None or boxed(text) in text
    tree(text)
