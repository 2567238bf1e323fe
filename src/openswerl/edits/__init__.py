"""One parser and one edit engine for SEARCH/REPLACE answers, used by training and evaluation alike."""

from openswerl.edits.answer import Answer, Block, parse, parse_blocks
from openswerl.edits.diffs import diff_bodies, diff_body, git_patch
from openswerl.edits.engine import Edited, TooLargeError, apply, edit
from openswerl.edits.minimal import minimal_blocks
from openswerl.edits.normalise import normalised_key
from openswerl.edits.patches import parse_patch, patch_bodies, render_patch
from openswerl.edits.render import InexpressibleError, render
from openswerl.edits.rules import RULES, FormatError, Notes, Reason, Rules, named_rules, rules_of

__all__ = [
    "RULES",
    "Answer",
    "Block",
    "Edited",
    "FormatError",
    "InexpressibleError",
    "Notes",
    "Reason",
    "Rules",
    "TooLargeError",
    "apply",
    "diff_bodies",
    "diff_body",
    "edit",
    "git_patch",
    "minimal_blocks",
    "named_rules",
    "normalised_key",
    "parse",
    "parse_blocks",
    "parse_patch",
    "patch_bodies",
    "render",
    "render_patch",
    "rules_of",
]
