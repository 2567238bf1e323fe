"""Take the text of a git diff apart into files and hunks."""

from typing import NamedTuple

SIGNS = ("+", "-")


class Hunk(NamedTuple):
    """One hunk: the file's path as the diff prints it, without a/ and b/, and the lines with their signs."""

    path: str
    lines: list[str]

    def changed(self, sign: str) -> list[str]:
        """Return the lines that carry a sign, without it."""
        return [line[1:] for line in self.lines if line[:1] == sign]


class FileDiff(NamedTuple):
    """One file of a diff: its path, the lines before the first hunk, and the hunks."""

    path: str
    header: list[str]
    hunks: list[Hunk]


def parse_diff(diff: str) -> list[FileDiff]:
    """Return the files in order; binary files, mode changes and empty files have no hunks.

    Every line of a hunk has a sign, so a line that starts with `diff --git` or `@@` is never text of a file.
    """
    return [_file(section) for section in ("\n" + diff.removesuffix("\n")).split("\ndiff --git ")[1:]]


def _file(section: str) -> FileDiff:
    head, *bodies = section.split("\n@@ -")
    header = head.split("\n")
    path = _path(header)
    return FileDiff(path, header, [Hunk(path, body.split("\n")[1:]) for body in bodies])


def _path(header: list[str]) -> str:
    """Return the new side's path, the old side's of a removed file; without either both sides have one name."""
    for line in reversed(header):
        if line.startswith(("--- a/", '--- "a/', "+++ b/", '+++ "b/')):
            return line[4:].strip('"\t')[2:]
    return header[0][: len(header[0]) // 2].strip('"')[2:]


def changed_text(files: list[FileDiff]) -> str:
    """Return all removed and added lines without their signs."""
    return "\n".join(line[1:] for file in files for hunk in file.hunks for line in hunk.lines if line[:1] in SIGNS)
