"""One key for all patches that differ in comments or layout alone, in any language that we know comments of."""

import functools
import re
from collections.abc import Mapping

from openswerl.edits import normalised_key
from openswerl.relate.languages import OF_SUFFIX, extension

TEXT = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
SLASHES = r"//[^\n]*|/\*.*?\*/"
LIKE_C = {"C", "C++", "Objective-C", "Java", "Kotlin", "Scala", "Groovy", "C#", "Swift", "Dart"}
WITH_BACKTICKS = {"Go", "JavaScript", "TypeScript"}
WITH_HASHES = {"Ruby", "Shell", "R", "Perl", "Elixir", "Julia"}
# A comment, or a text literal, which is matched so that nothing inside it is taken for a comment.
SYNTAX = {
    **dict.fromkeys(LIKE_C, re.compile(f"{TEXT}|(?P<comment>{SLASHES})", re.DOTALL)),
    **dict.fromkeys(WITH_BACKTICKS, re.compile(rf"{TEXT}|`(?:\\.|[^`\\])*`|(?P<comment>{SLASHES})", re.DOTALL)),
    **dict.fromkeys(WITH_HASHES, re.compile(rf"{TEXT}|(?P<comment>(?:(?<=\s)|(?<![^\n]))#[^\n]*)")),
    "Rust": re.compile(rf'"(?:\\.|[^"\\])*"|(?P<comment>{SLASHES})', re.DOTALL),  # a quote there may be a lifetime
}


def vote_key(old: Mapping[str, str | None], new: Mapping[str, str | None]) -> str:
    """Return the key of an edit; alike for edits that differ in comments, blank lines or white space at line ends.

    Python is compared by its syntax tree, without docstrings (`edits.normalised_key`). Comments of other languages go
    by pattern: one that is not seen as such keeps two edits apart, and costs a vote at most.
    """
    return _key(tuple(sorted((path, old.get(path), content) for path, content in new.items())))


@functools.lru_cache(maxsize=64)
def _key(files: tuple[tuple[str, str | None, str | None], ...]) -> str:
    """Many samples are alike to the letter, and parsing a large file takes a tenth of a second."""
    old = {path: _stripped(path, before) for path, before, _ in files}
    new = {path: _stripped(path, after) for path, _, after in files}
    return normalised_key(old, new)


def _stripped(path: str, content: str | None) -> str | None:
    syntax = SYNTAX.get(OF_SUFFIX.get(extension(path), ""))
    if content is None or syntax is None:
        return content
    return syntax.sub(lambda match: " " if match["comment"] else match[0], content)
