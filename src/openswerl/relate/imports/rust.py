"""Rust: `mod a;`, `use crate::a::b`, `use super::a`, `use self::a`, with one level of braces."""

import posixpath
import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files, join

MODULE = re.compile(r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;", re.MULTILINE)
USE = re.compile(
    r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?use[ \t]+((?:crate|super|self)(?:::\w+)*)(?:::\{([^{}]*))?", re.MULTILINE
)
ROOT_FILES = ("lib.rs", "main.rs", "mod.rs")


def references(source: str) -> Iterator[str]:
    """Yield paths such as crate::a::b; `mod a;` gives self::a."""
    yield from (f"self::{match[1]}" for match in MODULE.finditer(source))
    for match in USE.finditer(source):
        names = re.findall(r"(?:^|,)\s*(\w+(?:::\w+)*)", match[2]) if match[2] else []
        yield from (f"{match[1]}::{name}" for name in names)
        yield match[1]


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the module's file; the last parts of a path may be items of it."""
    folder, parts = _folder(path), name.split("::")
    while parts and parts[0] in ("crate", "self", "super"):
        head = parts.pop(0)
        folder = _crate(path) if head == "crate" else posixpath.dirname(folder) if head == "super" else folder
    for end in range(len(parts), 0, -1):
        place = join(folder, *parts[:end])
        if hit := files.first((f"{place}.rs", join(place, "mod.rs"))):
            return hit
    return []


def _folder(path: str) -> str:
    """The folder of a file's own submodules."""
    folder, name = posixpath.split(path)
    return folder if name in ROOT_FILES else join(folder, name.removesuffix(".rs"))


def _crate(path: str) -> str:
    """The innermost src folder above a file, else the top."""
    folders = path.split("/")[:-1]
    last = max((place for place, folder in enumerate(folders) if folder == "src"), default=-1)
    return "/".join(folders[: last + 1])
