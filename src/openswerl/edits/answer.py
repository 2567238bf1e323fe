"""Read a model's answer: the four tags, then the SEARCH/REPLACE blocks (paper appendix D)."""

import re
from dataclasses import dataclass

from openswerl.edits.rules import PAPER, FormatError, Notes

TAGS = ("<think>", "</think>", "<solution>", "</solution>")
FENCE = "```"
OPENING, CLOSING = "<<<<<<< SEARCH", ">>>>>>> REPLACE"
DIVIDER = "\n=======\n"
END = f"\n{CLOSING}\n{FENCE}"
HEADER = re.compile(rf"\n### ([^\n]*)\n{OPENING}\n")


@dataclass(frozen=True, slots=True)
class Answer:
    """The two tagged parts of an output."""

    thought: str
    solution: str


@dataclass(frozen=True, slots=True)
class Block:
    """One edit: replace `search` by `replace` in the file `path`; both start at a line start.

    `removes` tells a REPLACE of no line, which deletes the lines, from one of a blank line, which leaves that.
    """

    path: str
    search: str
    replace: str
    removes: bool = False


def parse(output: str) -> Answer:
    """Split an output into thought and solution.

    Each tag must occur exactly once; their order is not checked and text outside them is allowed, as in the official
    reward. Raises FormatError (missing_tag, duplicate_tag, empty_thought).
    """
    for tag in TAGS:
        _require_once(output, tag)
    thought = between(output, "<think>", "</think>").strip()
    if not thought:
        raise FormatError("empty_thought", "nothing between <think> and </think>")
    return Answer(thought, between(output, "<solution>", "</solution>").strip())


def _require_once(output: str, tag: str) -> None:
    count = output.count(tag)
    if count != 1:
        raise FormatError("duplicate_tag" if count else "missing_tag", f"{tag} occurs {count} times")


def between(text: str, start: str, end: str) -> str:
    """Return what stands between two marks, to the end of the text if the second does not follow the first."""
    return text.partition(start)[2].partition(end)[0]


def parse_blocks(solution: str, notes: Notes | None = None) -> list[Block]:
    """Return the well-formed blocks of a solution in order; malformed fragments are ignored if one block is good.

    The official rule is one regular expression: a fence line, the path line, SEARCH, divider and REPLACE marker lines,
    and a closing fence right after. It is matched with plain searches because backtracking over a degenerate answer,
    which repeats one marker thousands of times, takes minutes; this is linear. The rules of `notes` (official ones if
    None) are consulted where that reading fails or swallows a marker. Raises FormatError (no_blocks,
    marker_inside_block).
    """
    notes = notes or Notes(PAPER)
    blocks = list(_Scan(_unix(solution, notes), notes).blocks())
    if not blocks:
        raise FormatError("no_blocks", "no complete SEARCH/REPLACE block in the solution")
    return blocks


def _unix(solution: str, notes: Notes) -> str:
    """Turn an answer that was written with carriage returns, which its SEARCH lines tell, into one without."""
    if f"{OPENING}\r\n" in solution and notes.forgive("line_ends"):
        return solution.replace("\r\n", "\n")
    return solution


class _Scan:
    """One pass over a solution."""

    def __init__(self, solution: str, notes: Notes) -> None:
        self.solution, self.notes = solution, notes
        self.position = 0
        self.exhausted = False  # no block in the official form begins from here on

    def blocks(self) -> list[Block]:
        found = []
        headers = list(HEADER.finditer(self.solution))
        limits = [*(header.start() for header in headers[1:]), len(self.solution)]
        for header, limit in zip(headers, limits, strict=False):
            if self._is_opened(header.start()):
                block = self._block(header, limit)
                if block is None:
                    self.notes.add("incomplete_block")
                else:
                    found.append(block)
        return found

    def _is_opened(self, header_start: int) -> bool:
        """Tell whether the rest of the line before a header, not yet consumed by an earlier block, holds a fence."""
        line_start = self.solution.rfind("\n", 0, header_start) + 1
        return self.solution.find(FENCE, max(self.position, line_start), header_start) >= 0

    def _block(self, header: re.Match[str], limit: int) -> Block | None:
        """Read the block after a header; `limit` is where the next header begins."""
        official = self._official(header)
        if official is None or _holds_marker(official[0]):
            short = self._short(header, limit) if self.notes.rules.forgive_missing_blank_line else None
            if short is not None:
                self.notes.forgive("missing_blank_line")
                official = short
            elif official is not None:
                detail = f"{header[1]}: a marker line inside a block: two in one fence, or one that is not closed"
                self.notes.corrupt("marker_inside_block", detail)
        if official is None:
            return None
        block, self.position = official
        return block

    def _official(self, header: re.Match[str]) -> tuple[Block, int] | None:
        """Return the block in the official form and where it ends."""
        text, start = self.solution, header.end()
        divider = -1 if self.exhausted else text.find(DIVIDER, start)
        end = text.find(END, divider + len(DIVIDER)) if divider >= 0 else -1
        if end < 0:
            self.exhausted = True
            return None
        return Block(header[1], text[start:divider], text[divider + len(DIVIDER) : end]), end + len(END)

    def _short(self, header: re.Match[str], limit: int) -> tuple[Block, int] | None:
        """Return a block with no line in SEARCH or REPLACE and where it ends; None if it can be read in two ways."""
        start = header.end() - 1
        end = self.solution.find(END, start, limit)
        lines = self.solution[start:end].split("\n")[1:] if end > start else []
        if lines.count("=======") != 1 or {OPENING, CLOSING} & set(lines):
            return None
        middle = lines.index("=======")
        search, replace = lines[:middle], lines[middle + 1 :]
        return Block(header[1], "\n".join(search), "\n".join(replace), not replace), end + len(END)


def _holds_marker(block: Block) -> bool:
    text = f"\n{block.search}\n{block.replace}\n"
    return f"\n{OPENING}\n" in text or f"\n{CLOSING}\n" in text
