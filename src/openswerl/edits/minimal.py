"""From a change to the smallest SEARCH/REPLACE blocks that make it; the form of SFT demonstrations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cydifflib import SequenceMatcher

from openswerl.edits.answer import Block
from openswerl.edits.engine import apply
from openswerl.edits.render import render
from openswerl.edits.rules import FormatError

JOIN_GAP = 3


@dataclass(frozen=True, slots=True)
class _Span:
    """Lines [start, end) of the old file that become lines [new_start, new_end) of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int

    def grown(self, above: int, below: int) -> "_Span":
        return _Span(self.start - above, self.end + below, self.new_start - above, self.new_end + below)

    def joined(self, later: "_Span") -> "_Span":
        return _Span(self.start, later.end, self.new_start, later.new_end)


def minimal_blocks(old: Mapping[str, str], new: Mapping[str, str]) -> list[Block]:
    """Return blocks that turn `old` into `new`, for the paths of `new` that differ, sorted; none if nothing differs.

    A SEARCH is whole lines of the old file, unique there, with no context line at either end that uniqueness does not
    need. Changes at most three lines apart share a block. A deletion keeps a neighbour line in REPLACE and an
    insertion one in SEARCH. Only a new or empty file has an empty SEARCH, and only an emptied file an empty REPLACE
    (written as one blank line).

    Raises InexpressibleError where a text holds a tag or a marker line of the answer format. A removed file cannot be
    expressed: give it the content "".
    """
    changed = [path for path in sorted(new) if old.get(path, "") != new[path]]
    blocks = [block for path in changed for block in _file_blocks(path, old.get(path, ""), new[path])]
    if blocks:
        render("check", blocks)
    return blocks


def _file_blocks(path: str, old: str, new: str) -> list[Block]:
    edit = _FileEdit(old, new)
    changes = edit.changes()
    blocks = [edit.block(path, span) for span in edit.unique_spans(changes)]
    if _makes(path, old, new, blocks):
        return blocks
    return [edit.block(path, edit.unique_span(changes[0].joined(changes[-1])))]


def _makes(path: str, old: str, new: str, blocks: Sequence[Block]) -> bool:
    """Tell whether the blocks work in sequence; an earlier one may write a later one's SEARCH a second time."""
    try:
        return apply({path: old}, blocks) == {path: new}
    except FormatError:
        return False


class _FileEdit:
    """One file's old and new lines; the last line is empty where the text ends with a newline."""

    def __init__(self, old: str, new: str) -> None:
        self.text = "\n" + old
        self.old, self.new = old.split("\n"), new.split("\n")

    def block(self, path: str, span: _Span) -> Block:
        return Block(path, self._search(span), self._replace(span))

    def changes(self) -> list[_Span]:
        """Return the changed spans in order, nearby ones joined."""
        spans: list[_Span] = []
        for tag, *bounds in SequenceMatcher(None, self.old, self.new, autojunk=False).get_opcodes():
            if tag == "equal":
                continue
            span = _Span(*bounds)
            if spans and span.start - spans[-1].end <= JOIN_GAP:
                span = spans.pop().joined(span)
            spans.append(span)
        return spans

    def unique_spans(self, changes: Sequence[_Span]) -> list[_Span]:
        """Return the changes grown until unique; two that would overlap become one."""
        done: list[tuple[_Span, _Span]] = []
        for change in changes:
            grown = self.unique_span(change)
            while done and grown.start < done[-1][1].end:
                change = done.pop()[0].joined(change)
                grown = self.unique_span(change)
            done.append((change, grown))
        return [grown for _, grown in done]

    def unique_span(self, change: _Span) -> _Span:
        """Grow a change by turns upward and downward until it fits, then drop common lines that were not needed."""
        above = below = 0
        while not self._fits(change.grown(above, below)):
            if change.start > above and (above <= below or change.end + below == len(self.old)):
                above += 1
            else:
                below += 1
        return self._trimmed(change.grown(above, below))

    def _trimmed(self, span: _Span) -> _Span:
        if span.new_start < 0 or span.new_end > len(self.new):  # it reaches over another change, and will be joined
            return span
        while self.old[span.start] == self.new[span.new_start] and self._fits(span.grown(-1, 0)):
            span = span.grown(-1, 0)
        while self.old[span.end - 1] == self.new[span.new_end - 1] and self._fits(span.grown(0, -1)):
            span = span.grown(0, -1)
        return span

    def _fits(self, span: _Span) -> bool:
        """Tell whether SEARCH occurs once, at this place, and neither half is empty; the whole file always fits."""
        if (span.start, span.end) == (0, len(self.old)):
            return True
        if span.start == span.end or not self._replace(span):
            return False
        search = "\n" + self._search(span)
        return self.text.find(search, self.text.find(search) + 1) < 0

    def _search(self, span: _Span) -> str:
        return "\n".join(self.old[span.start : span.end])

    def _replace(self, span: _Span) -> str:
        return "\n".join(self.new[span.new_start : span.new_end])
