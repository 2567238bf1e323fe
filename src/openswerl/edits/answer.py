"""Read a model's answer: the four tags, then the SEARCH/REPLACE blocks (paper appendix D)."""

import re
from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "missing_tag", "duplicate_tag", "empty_thought", "no_blocks", "noop_edit", "search_not_found", "result_too_large"
]

TAGS = ("<think>", "</think>", "<solution>", "</solution>")
FENCE = "```"
DIVIDER = "\n=======\n"
END = "\n>>>>>>> REPLACE\n" + FENCE
HEADER = re.compile(r"\n### ([^\n]*)\n<<<<<<< SEARCH\n")


class FormatError(Exception):
    """An answer that earns the format penalty; `reason` is a stable code, `detail` says where."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Answer:
    """The two tagged parts of an output."""

    thought: str
    solution: str


@dataclass(frozen=True, slots=True)
class Block:
    """One edit: replace `search` by `replace` in the file `path`; both start at a line start."""

    path: str
    search: str
    replace: str


def parse(output: str) -> Answer:
    """Split an output into thought and solution.

    Each tag must occur exactly once; their order is not checked and text outside them is allowed, as in the official
    reward. Raises FormatError (missing_tag, duplicate_tag, empty_thought).
    """
    for tag in TAGS:
        _require_once(output, tag)
    thought = _between(output, "<think>", "</think>").strip()
    if not thought:
        raise FormatError("empty_thought", "nothing between <think> and </think>")
    return Answer(thought, _between(output, "<solution>", "</solution>").strip())


def _require_once(output: str, tag: str) -> None:
    count = output.count(tag)
    if count != 1:
        raise FormatError("duplicate_tag" if count else "missing_tag", f"{tag} occurs {count} times")


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def parse_blocks(solution: str) -> list[Block]:
    """Return the well-formed blocks of a solution in order; malformed fragments are ignored if one block is good.

    The rule is one regular expression: a fence line, the path line, SEARCH, divider and REPLACE marker lines, and a
    closing fence right after. It is matched with plain searches because backtracking over a degenerate answer, which
    repeats one marker thousands of times, takes minutes; this is linear. Raises FormatError (no_blocks).
    """
    blocks: list[Block] = []
    position = 0
    for header in HEADER.finditer(solution):
        if not _opens_block(solution, position, header.start()):
            continue
        divider = solution.find(DIVIDER, header.end())
        end = solution.find(END, divider + len(DIVIDER)) if divider >= 0 else -1
        if end < 0:
            break
        blocks.append(Block(header[1], solution[header.end() : divider], solution[divider + len(DIVIDER) : end]))
        position = end + len(END)
    if not blocks:
        raise FormatError("no_blocks", "no complete SEARCH/REPLACE block in the solution")
    return blocks


def _opens_block(solution: str, position: int, header_start: int) -> bool:
    """Tell whether the rest of the line before a header, not yet consumed by an earlier block, holds a fence."""
    line_start = solution.rfind("\n", 0, header_start) + 1
    return solution.find(FENCE, max(position, line_start), header_start) >= 0
