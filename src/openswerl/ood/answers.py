"""Find the answer in an output: behind the thinking, between tags, in a fence, or on the last line."""

import ast
import re
import warnings

from openswerl.edits.answer import between
from openswerl.ood.suite import NoAnswer

FENCE = re.compile(r"^[ \t]*```[^\n]*\n?", re.MULTILINE)
ANSWER = re.compile(r"answer[ \t]*:([^\n]+)", re.IGNORECASE)
BOXED = "\\boxed{"


def final(output: str) -> str:
    """Return what an output answers: what follows its thinking, and of that the solution if one is tagged.

    Thinking that never ends leaves nothing after it. Indentation of the first line is kept.
    """
    said = output.rpartition("</think>")[2].partition("<think>")[0]
    if "<solution>" in said:
        said = between(said, "<solution>", "</solution>")
    return said.strip("\r\n")


def fenced(said: str) -> list[str]:
    """Return the contents of the code fences; the last one need not be closed."""
    return FENCE.split(said)[1::2]


def answer_line(said: str) -> str | None:
    """Return what follows the last "Answer:" on its line, without emphasis; None if nothing does."""
    found = [match.strip(" \t*_`") for match in ANSWER.findall(said)]
    return found[-1] if found and found[-1] else None


def boxed(said: str) -> str | None:
    r"""Return the content of the last \boxed{...} whose braces match; None without any."""
    start = said.rfind(BOXED)
    if start < 0:
        return None
    depth, first = 1, start + len(BOXED)
    for place in range(first, len(said)):
        depth += {"{": 1, "}": -1}.get(said[place], 0)
        if not depth:
            return said[first:place].strip()
    return None


def tree(source: str) -> ast.Module | None:
    """Return the syntax tree of Python source; None if it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in a model's strings
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def function(said: str, name: str, head: str) -> str:
    """Return source that defines the function `name`. Raises NoAnswer (no_function) if none is found.

    The last fence that has it, else the whole text, else either of them as the continuation of `head`.
    """
    texts = [*reversed(fenced(said)), said]
    sources = [*texts, *(head + one for one in texts)]
    for source in sources:
        if _defines(tree(source), name):
            return source
    raise NoAnswer("no_function")


def _defines(found: ast.Module | None, name: str) -> bool:
    """Whether a program has a function of that name with a body besides its docstring."""
    functions = [node for node in (found.body if found else []) if isinstance(node, ast.FunctionDef)]
    return any(node.name == name and (len(node.body) > 1 or not _is_text(node.body[0])) for node in functions)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
