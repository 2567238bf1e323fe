"""Line diffs between file contents: the compared text of the reward, and patches for git."""

import io
import re
from collections.abc import Iterator, Mapping

from cydifflib import unified_diff

NO_NEWLINE = "\n\\ No newline at end of file\n"
SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\]')


def diff_body(old: str, new: str) -> str:
    """Return the unified diff of two contents as the official reward compares it; empty if no line differs.

    Three context lines, hunk headers kept, the two file header lines dropped. Lines are split as `str.splitlines`
    does and joined by newlines, so a difference in line ends alone is no difference.
    """
    if old == new:
        return ""
    return "\n".join(list(unified_diff(old.splitlines(), new.splitlines(), lineterm=""))[2:])


def diff_bodies(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return path to diff body for every file of `new` that differs; a path absent from `old` is an empty file."""
    bodies = {path: diff_body(old.get(path, ""), content) for path, content in new.items()}
    return {path: body for path, body in bodies.items() if body}


def git_patch(old: Mapping[str, str | None], new: Mapping[str, str | None]) -> str:
    """Return a patch from `old` to `new` that `git apply` accepts; empty if nothing changes.

    Covers the paths of `new`, sorted. None, in either, means that the file does not exist, as does a path missing from
    `old`. New files get mode 100644. Write the text without newline translation.
    """
    return "".join(_file_patch(path, old.get(path), new[path]) for path in sorted(new))


def _file_patch(path: str, old: str | None, new: str | None) -> str:
    if old == new:
        return ""
    a, b = _quote("a/" + path), _quote("b/" + path)
    lines = [f"diff --git {a} {b}\n"]
    if old is None:
        a, lines = "/dev/null", [*lines, "new file mode 100644\n"]
    if new is None:
        b, lines = "/dev/null", [*lines, "deleted file mode 100644\n"]
    if old or new:
        lines += [f"--- {a}{_name_end(a)}\n", f"+++ {b}{_name_end(b)}\n", *_hunks(old or "", new or "")]
    return "".join(lines)


def _hunks(old: str, new: str) -> Iterator[str]:
    for line in list(unified_diff(_git_lines(old), _git_lines(new)))[2:]:
        yield line if line.endswith("\n") else line + NO_NEWLINE


def _git_lines(text: str) -> list[str]:
    """Split at newlines alone, as git does, keeping them; a carriage return is part of its line."""
    return list(io.StringIO(text, newline="\n"))


def _quote(name: str) -> str:
    """Quote a name as git does if it holds a control character, a quote or a backslash."""
    quoted = SPECIAL.sub(lambda match: f"\\{ord(match[0]):03o}", name)
    return name if quoted == name else f'"{quoted}"'


def _name_end(name: str) -> str:
    """Git ends a file name that holds a space with a tab."""
    return "\t" if " " in name else ""
