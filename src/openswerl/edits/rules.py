"""The named switches by which an answer is read and applied, and the events that they leave behind."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from openswerl.errors import UserError

Reason = Literal[
    "missing_tag",
    "duplicate_tag",
    "empty_thought",
    "no_blocks",
    "noop_edit",
    "search_not_found",
    "result_too_large",
    "marker_inside_block",
    "empty_search_on_file",
    "partial_line",
    "unreadable_patch",
    "patch_does_not_apply",
]
Corruption = Literal["marker_inside_block", "empty_search_on_file", "partial_line", "unreadable_patch"]
Harshness = Literal["line_ends", "dot_slash", "path_spaces", "missing_blank_line"]


class FormatError(Exception):
    """An answer that earns the format penalty; `reason` is a stable code, `detail` says where."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Rules:
    """What is refused and what is forgiven; all off is the official rule. edits/README.md explains each.

    refuse_X: X, which the official rule rewards although it damages a file, is a format error.
    forgive_X: X, which the official rule calls a format error although its meaning is clear, is none.
    """

    refuse_marker_inside_block: bool = False
    refuse_empty_search_on_file: bool = False
    refuse_partial_line: bool = False
    refuse_unreadable_patch: bool = False
    forgive_line_ends: bool = False
    forgive_dot_slash: bool = False
    forgive_path_spaces: bool = False
    forgive_missing_blank_line: bool = False


PAPER = Rules()
STRICT = Rules(*[True] * len(fields(Rules)))
RULES = {"paper": PAPER, "strict": STRICT}


def rules_of(edits: Mapping[str, Any]) -> Rules:
    """Return the rules of the config group `edits`."""
    return Rules(**{field.name: bool(edits[field.name]) for field in fields(Rules)})


def named_rules(name: str) -> Rules:
    """Return the rules `paper` or `strict`. Raises UserError for another name."""
    if name not in RULES:
        raise UserError(f"compat={name} is not known; choose one of: {', '.join(RULES)}")
    return RULES[name]


class Notes:
    """The rules at work on one answer, and the codes of what they met, each once, in order."""

    def __init__(self, rules: Rules = PAPER) -> None:
        self.rules = rules
        self._codes: dict[str, None] = {}

    @property
    def codes(self) -> tuple[str, ...]:
        """The events so far."""
        return tuple(self._codes)

    def add(self, code: str) -> None:
        """Record an event."""
        self._codes[code] = None

    def corrupt(self, code: Corruption, detail: str) -> None:
        """Raise FormatError if the rules refuse this damage, else record that it was let through."""
        if getattr(self.rules, f"refuse_{code}"):
            raise FormatError(code, detail)
        self.add(code)

    def forgive(self, code: Harshness) -> bool:
        """Tell whether the rules forgive this, and record it if they do."""
        forgiven: bool = getattr(self.rules, f"forgive_{code}")
        if forgiven:
            self.add(code)
        return forgiven
