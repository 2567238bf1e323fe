"""Python and Cython, versions 2 and 3: `import a.b`, `from .a import b`."""

import functools
import posixpath
import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files, join

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>\.*[\w.]*)[ \t]+c?import[ \t]*(?P<names>\([^)]*\)|[^\n#;]+)"
    r"|c?import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)
NAME = re.compile(r"(\w[\w.]*)(?:\s+as\s+\w+)?")
ROOTS = ("", "src", "lib")


def references(source: str) -> Iterator[str]:
    """Yield dotted names, with their leading dots; `from a import b` gives a.b, then a."""
    for match in IMPORT.finditer(source):
        if match["modules"]:
            yield from (name[1] for name in NAME.finditer(match["modules"]))
            continue
        module = match["source"]
        dotted = module if not module.strip(".") else f"{module}."
        yield from (dotted + name[1] for name in NAME.finditer(match["names"]))
        yield module


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the module or package; absolute names are looked up from the top, src, lib, and the folders above."""
    module = name.lstrip(".")
    for root in _roots(path, len(name) - len(module)):
        place = join(root, *module.split("."))
        hit = files.first(
            file for file in (f"{place}.py", join(place, "__init__.py"), f"{place}.pyx", f"{place}.pxd") if file != path
        )
        if hit:
            return hit
    return []


@functools.lru_cache(maxsize=8192)
def _roots(path: str, dots: int) -> tuple[str, ...]:
    folder = posixpath.dirname(path)
    above = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        above.append(folder)
    return tuple(above[dots - 1 : dots]) if dots else (*ROOTS, *above)
