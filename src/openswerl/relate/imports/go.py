"""Go: `import "host/owner/repo/package"`. A package is a folder; its files see each other without an import."""

import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files

IMPORT = re.compile(r'^import[ \t]+(?:\(([^)]*)\)|(?:[\w.]+[ \t]+)?"([^"\n]+)")', re.MULTILINE)
QUOTED = re.compile(r'"([^"\n]+)"')
FORGES = ("github.com", "gitlab.com", "bitbucket.org")


def references(source: str) -> Iterator[str]:
    """Yield import paths; those of the standard library, without a host, are left out."""
    for match in IMPORT.finditer(source):
        names = QUOTED.findall(match[1]) if match[1] is not None else [match[2]]
        yield from (name for name in names if "." in name.split("/")[0])


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the files of the package in this repository, whose own host, owner and name are not known."""
    parts = name.split("/")
    least = 3 if parts[0] in FORGES else 1
    for start in range(least, len(parts)):
        inside = files.inside("/".join(parts[start:]))
        found = [file for file in inside if file.endswith(".go") and not file.endswith("_test.go")]
        if found:
            return found
    return []
