"""One parser and one edit engine for SEARCH/REPLACE answers, used by training and evaluation alike."""

from openswerl.edits.answer import Answer, Block, FormatError, Reason, parse, parse_blocks
from openswerl.edits.diffs import diff_bodies, diff_body, git_patch
from openswerl.edits.engine import apply
from openswerl.edits.minimal import minimal_blocks
from openswerl.edits.normalise import normalised_key
from openswerl.edits.render import InexpressibleError, render

__all__ = [
    "Answer",
    "Block",
    "FormatError",
    "InexpressibleError",
    "Reason",
    "apply",
    "diff_bodies",
    "diff_body",
    "git_patch",
    "minimal_blocks",
    "normalised_key",
    "parse",
    "parse_blocks",
    "render",
]
