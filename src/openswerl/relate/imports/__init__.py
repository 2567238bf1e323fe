"""Which files of a tree a source file imports: one reader for each language family.

Readers go by pattern: they take files that do not parse, and old dialects. A reader has two halves.
`references(source)` returns the names that a source imports; it depends on nothing else, so it is done once for each
blob. `find(path, name, files)` returns the files that a name stands for in one tree.
"""

from collections.abc import Iterable
from types import ModuleType

from openswerl.relate.imports import c, go, java, javascript, python, ruby, rust
from openswerl.relate.imports.files import Files
from openswerl.relate.languages import OF_SUFFIX, extension

READERS: dict[str, ModuleType] = {
    "Python": python,
    "Cython": python,
    "JavaScript": javascript,
    "TypeScript": javascript,
    "C": c,
    "C++": c,
    "Objective-C": c,
    "Java": java,
    "Kotlin": java,
    "Scala": java,
    "Groovy": java,
    "Go": go,
    "Ruby": ruby,
    "Rust": rust,
}


def references(path: str, source: str) -> tuple[str, ...]:
    """Return the names that a file imports, in order, each once; empty for a language without a reader."""
    reader = _reader(path)
    return tuple(dict.fromkeys(reader.references(source))) if reader else ()


def imported_files(path: str, names: Iterable[str], files: Files) -> set[str]:
    """Return the files that the file `path` imports by these names; never itself."""
    reader = _reader(path)
    if reader is None:
        return set()
    return {found for name in names for found in reader.find(path, name, files)} - {path}


def _reader(path: str) -> ModuleType | None:
    return READERS.get(OF_SUFFIX.get(extension(path), ""))
