"""Java, Kotlin, Scala and Groovy: `import a.b.C`. Classes of one package see each other without an import."""

import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files

IMPORT = re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?(\w+(?:\.\w+)+)", re.MULTILINE)
SUFFIXES = (".java", ".kt", ".scala", ".groovy")


def references(source: str) -> Iterator[str]:
    """Yield dotted names."""
    return (match[1] for match in IMPORT.finditer(source))


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the file of the class; the last part may be a member of it."""
    parts = name.split(".")
    for names in (parts, parts[:-1]):
        for suffix in SUFFIXES:
            if len(names) > 1 and (hit := files.ending("/".join(names) + suffix)):
                return hit
    return []
