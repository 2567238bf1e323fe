"""One key for all edits that differ in comments or formatting alone, for majority voting."""

import ast
import hashlib
import warnings
from collections.abc import Mapping

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def normalised_key(old_files: Mapping[str, str | None], new_files: Mapping[str, str | None]) -> str:
    """Return a hash over the normalised contents of the files that `new_files` really changes.

    Python is parsed and unparsed without docstrings; what does not parse, and any other file, loses trailing
    white space and blank lines. A file equal to its old self after that counts as unchanged, so an edit of comments
    alone has the key of no edit, `normalised_key({}, {})`. None means that the file does not exist.
    """
    digest = hashlib.sha256()
    for path in sorted(new_files):
        old, new = (_normalise(path, files.get(path)) for files in (old_files, new_files))
        if old != new:
            digest.update(repr((path, new)).encode())
    return digest.hexdigest()


def _normalise(path: str, content: str | None) -> str | None:
    if content is None:
        return None
    if path.endswith(".py"):
        try:
            return _normalise_python(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return "\n".join(line.rstrip() for line in content.splitlines() if line.strip())


def _normalise_python(source: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    return ast.unparse(tree)
