"""Ruby: `require_relative "a"`, `require "a/b"`, `load "a.rb"`, `autoload :A, "a"`."""

import posixpath
import re
from collections.abc import Iterator

from openswerl.relate.imports.files import Files, join

REQUIRE = re.compile(
    r"""^[ \t]*(require_relative|require|load|autoload[ \t(]+:\w+[ \t]*,)[ \t(]*["']([^"'\n]{1,300})["']""",
    re.MULTILINE,
)


def references(source: str) -> Iterator[str]:
    """Yield feature names; those of require_relative begin with a dot."""
    for match in REQUIRE.finditer(source):
        yield f"./{match[2]}" if match[1] == "require_relative" else match[2]


def find(path: str, name: str, files: Files) -> list[str]:
    """Return the file: beside this one for a relative name, else below lib, the top, or the only lib that has it."""
    file = name if name.endswith(".rb") else f"{name}.rb"
    if name.startswith("."):
        return files.first([join(posixpath.dirname(path), file)])
    return files.first((join("lib", file), file)) or files.ending(f"lib/{file}")
