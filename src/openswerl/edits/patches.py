"""Answers whose solution is one unified diff, the form that the patch-text rewards read."""

import re

from unidiff import PatchSet, UnidiffParseError

from openswerl.edits.answer import FENCE, between, parse
from openswerl.edits.rules import FormatError

CARRIAGE_RETURN = re.compile(r"^@@ [^@]*@@\r$", re.MULTILINE)


def parse_patch(output: str) -> tuple[str, str]:
    """Return thought and patch text of an output, markdown fences stripped; the tags follow `parse`.

    Raises FormatError (those of `parse`).
    """
    thought = parse(output).thought
    return thought, strip_fences(between(output, "<solution>", "</solution>"))


def strip_fences(text: str) -> str:
    """Return the lines inside the fences of a text, joined; the text without outer newlines if it has no fence.

    No line of a diff begins with a fence, so a line that does is one. Spaces at the end stay: they may be a context
    line. Carriage returns go if a hunk header has one, else they belong to the files.
    """
    lines = (text.replace("\r\n", "\n") if CARRIAGE_RETURN.search(text) else text).split("\n")
    fences = [number for number, line in enumerate(lines) if line.startswith(FENCE)]
    if not fences:
        patch = "\n".join(lines).strip("\n")
        return patch + "\n" if patch else ""
    last = len(lines) - 1 if lines[-1] == "" else len(lines)
    pairs = zip(fences[::2], [*fences[1::2], last], strict=False)
    return "".join(line + "\n" for start, end in pairs for line in lines[start + 1 : end])


def patch_bodies(patch: str) -> dict[str, str]:
    """Return source path to hunk text, headers included, of every text file of a patch.

    As the official unified-diff reward reads it: binary files are left out, a rename adds a line and is keyed by its
    source, a later part for the same file replaces an earlier one. Raises FormatError (unreadable_patch).
    """
    try:
        files = [file for file in PatchSet(patch) if not file.is_binary_file]
    except (UnidiffParseError, ValueError) as error:
        raise FormatError("unreadable_patch", str(error)) from None
    bodies = {}
    for file in files:
        source, target = file.source_file.removeprefix("a/"), file.target_file.removeprefix("b/")
        moved = f"rename from {source} to {target}\n" if file.is_rename else ""
        path = target if source == "/dev/null" else source
        bodies[path] = moved + "".join(str(hunk) for hunk in file)
    return {path: body for path, body in bodies.items() if body}


def render_patch(thought: str, patch: str) -> str:
    """Return the tagged answer text that `parse_patch` reads."""
    return f"<think>\n{thought}\n</think>\n<solution>\n{FENCE}diff\n{patch}{FENCE}\n</solution>"
