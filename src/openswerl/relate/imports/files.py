"""Paths of a tree, for look-up by whole path, by end, and by folder."""

import posixpath
from collections.abc import Callable, Collection, Iterable
from functools import cached_property


class Files:
    """The paths of one tree; the indexes are built when they are first asked for."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = paths

    def first(self, candidates: Iterable[str]) -> list[str]:
        """Return the first candidate that exists, as a list of one or none."""
        return next(([path] for path in candidates if path in self.paths), [])

    def ending(self, tail: str) -> list[str]:
        """Return the one path that is `tail` or ends in `/tail`; none if several do, since none of them is meant."""
        named = self._by_name.get(posixpath.basename(tail), [])
        found = [path for path in named if path == tail or path.endswith(f"/{tail}")]
        return found if len(found) == 1 else []

    def inside(self, folder: str) -> list[str]:
        """Return the paths directly inside a folder; the top is the empty string."""
        return self._by_folder.get(folder, [])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped(self.paths, posixpath.basename)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return _grouped(self.paths, posixpath.dirname)


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return groups


def join(*parts: str) -> str:
    """Join and normalise; the top is the empty string. A place above the top keeps its leading `..`."""
    place = posixpath.normpath(posixpath.join("", *parts))
    return "" if place == "." else place
