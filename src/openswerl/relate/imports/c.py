"""C, C++ and Objective-C: `#include "a.h"`, `#include <a/b.h>`, `#import`."""

import posixpath
import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files, join

INCLUDE = re.compile(r"""^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"]([^<>"\n]{1,300})[>"]""", re.MULTILINE)
ROOTS = ("", "include", "src", "inc")


def references(source: str) -> Iterator[str]:
    """Yield the included names."""
    return (match[1] for match in INCLUDE.finditer(source))


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the header beside the file or below a usual root; else the only one with that end."""
    roots = (posixpath.dirname(path), *ROOTS)
    return files.first(join(root, name) for root in roots) or files.ending(name)
