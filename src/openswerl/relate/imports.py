"""Which files of a tree a Python file imports. Pattern-based: it reads Python 2, and files that do not parse."""

import functools
import posixpath
import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>\.*[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n#;]+)"
    r"|import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)
NAME = re.compile(r"(\w[\w.]*)(?:\s+as\s+\w+)?")
ROOTS = ("", "src", "lib")


class Module(NamedTuple):
    """An imported name: how many leading dots, and the dotted name after them."""

    dots: int
    name: str


def imported_modules(source: str) -> tuple[Module, ...]:
    """Return everything that a source imports, in order; `from a import b` gives a.b, then a."""
    return tuple(dict.fromkeys(_imported(source)))


def _imported(source: str) -> Iterator[Module]:
    for match in IMPORT.finditer(source):
        if match["modules"]:
            yield from (Module(0, name[1]) for name in NAME.finditer(match["modules"]))
            continue
        module = match["source"].lstrip(".")
        dots = len(match["source"]) - len(module)
        for name in NAME.finditer(match["names"]):
            yield Module(dots, f"{module}.{name[1]}" if module else name[1])
        yield Module(dots, module)


def imported_files(path: str, modules: Iterable[Module], files: Container[str]) -> set[str]:
    """Return the files that the Python file `path` imports, of those in `files`; a package is its __init__.py.

    Absolute names are looked up from the top, src, lib, and the folders above the file.
    """
    found = set()
    for dots, module in modules:
        for root in _roots(path, dots):
            place = posixpath.join(root, *module.split(".")).rstrip("/")
            candidates = (f"{place}.py", posixpath.join(place, "__init__.py"))
            hit = next((file for file in candidates if file in files and file != path), None)
            if hit:
                found.add(hit)
                break
    return found


@functools.lru_cache(maxsize=8192)
def _roots(path: str, dots: int) -> tuple[str, ...]:
    folder = posixpath.dirname(path)
    above = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        above.append(folder)
    if dots:
        return tuple(above[dots - 1 : dots])
    return (*ROOTS, *above)
