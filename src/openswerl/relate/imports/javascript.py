"""JavaScript and TypeScript: `import ... from "./a"`, `export ... from`, `require("./a")`, `import("./a")`."""

import posixpath
import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files, join

IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'`])([^"'`\n]{1,300})\1""")
SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
ROOTS = ("", "src", "lib")


def references(source: str) -> Iterator[str]:
    """Yield module names as they stand; a bare package name is left out."""
    return (match[2] for match in IMPORT.finditer(source) if "/" in match[2] or match[2] in (".", ".."))


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the module or the index of a folder; other names than relative ones start at the top, src or lib."""
    roots = (posixpath.dirname(path),) if name.startswith(".") else ROOTS
    return next((hit for root in roots if (hit := files.first(_candidates(join(root, name))))), [])


def _candidates(place: str) -> Iterator[str]:
    yield place
    yield from (place + suffix for suffix in SUFFIXES)
    stem, suffix = posixpath.splitext(place)
    if suffix in (".js", ".jsx", ".mjs", ".cjs"):  # TypeScript names the file that the compiler will write
        yield from (stem + other for other in SUFFIXES)
    yield from (join(place, f"index{suffix}") for suffix in SUFFIXES)
