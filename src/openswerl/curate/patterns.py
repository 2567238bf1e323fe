"""Lists of path patterns, made ready once: a pull request has many paths, and a list has many patterns."""

import re
from collections.abc import Iterable
from fnmatch import translate

WILD = frozenset("*?[")
NOTHING = "(?!)"


class Patterns:
    """Patterns without regard to case: `*.lock` is a file's name in any folder; `vendor/`, `a/b/` a folder anywhere."""

    def __init__(self, patterns: Iterable[str]) -> None:
        lower = [pattern.lower() for pattern in patterns]
        names = [pattern for pattern in lower if not pattern.endswith("/")]
        folders = [re.escape(pattern) for pattern in lower if pattern.endswith("/")]
        self.folders = re.compile(f"/(?:{'|'.join(folders) or NOTHING})")
        self.names = frozenset(name for name in names if WILD.isdisjoint(name))
        self.suffixes = tuple(name[1:] for name in names if name[0] == "*" and WILD.isdisjoint(name[1:]))
        globs = [name for name in names if name not in self.names and name[1:] not in self.suffixes]
        self.globs = re.compile("|".join(map(translate, globs)) or NOTHING)

    def match(self, path: str) -> bool:
        """Whether a path from the root, without a slash at the start, is on the list."""
        path = f"/{path.lower()}"
        name = path.rpartition("/")[2]
        if name in self.names or name.endswith(self.suffixes):
            return True
        return self.globs.match(name) is not None or self.folders.search(path) is not None
