"""Changes that a tool made, judged hunk by hunk: a pull request goes only if every hunk is flagged (appendix A)."""

import re

from openswerl.curate.change import Change
from openswerl.curate.hunks import FileDiff, Hunk
from openswerl.curate.rules import Rules

VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-.+]?\w+)*")
THREE_PARTS = re.compile(r"\d+\.\d+\.\d")
COMMENT = re.compile(r"""[-+ ]\s*(?:[#%;*]|//|/\*|--|<!--|\(\*|"{3}|'{3}|\.\.)""")
NAMES_VERSION = re.compile(r"version", re.IGNORECASE)


def generated(change: Change, rules: Rules) -> str | None:
    """Say what all hunks are: one kind, or `all_hunks_flagged` if several; no_text_change if there are none."""
    kinds = set()
    for file in change.files:
        for kind in hunk_kinds(file, rules):
            if kind is None:
                return None
            kinds.add(kind)
    if not kinds:
        return "no_text_change"
    return kinds.pop() if len(kinds) == 1 else "all_hunks_flagged"


def hunk_kinds(file: FileDiff, rules: Rules) -> list[str | None]:
    """Return for each hunk why it is flagged: by the file's path, by a mark in any hunk of the file, by its text."""
    if not file.hunks:
        return []
    kind = path_kind(file.path, rules) or ("generated_files" if is_marked(file, rules) else None)
    return [kind or text_kind(hunk, rules) for hunk in file.hunks]


def path_kind(path: str, rules: Rules) -> str | None:
    """Lock files, and generated and vendored ones."""
    for kind, patterns in rules.flagged.items():
        if patterns.match(path):
            return kind
    return None


def is_marked(file: FileDiff, rules: Rules) -> bool:
    """Whether a comment in a hunk says that a tool wrote the file."""
    texts = ("\n".join(hunk.lines) for hunk in file.hunks)
    return any(
        rules.marks.found(text) and any(COMMENT.match(line) and rules.marks.found(line) for line in text.split("\n"))
        for text in texts
    )


def text_kind(hunk: Hunk, rules: Rules) -> str | None:
    """Version numbers exchanged, and lines that nobody writes by hand."""
    if is_version_bump(hunk, rules):
        return "version_bumps"
    return "long_lines" if max(map(len, hunk.lines), default=0) > rules.cfg.max_line else None


def is_version_bump(hunk: Hunk, rules: Rules) -> bool:
    """Whether old and new lines differ in version numbers alone.

    Outside manifests a number of two parts is a version only in a line that says so: 0.5 may be a constant.
    """
    old, new = hunk.changed("-"), hunk.changed("+")
    if not old or len(old) != len(new):
        return False
    differ = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    if not differ or any(VERSION.sub("VERSION", before) != VERSION.sub("VERSION", after) for before, after in differ):
        return False
    return rules.manifests.match(hunk.path) or all(_says_version(before) for before, _ in differ)


def _says_version(line: str) -> bool:
    return bool(NAMES_VERSION.search(line) or THREE_PARTS.search(line))
