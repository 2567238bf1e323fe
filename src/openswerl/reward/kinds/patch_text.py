"""Similarity of whole patch texts: the popular simplification of Eq. 1, for comparison."""

from openswerl.edits import FormatError
from openswerl.reward.outcome import Value
from openswerl.reward.work import Work

ANSWER = "unidiff"
INLINE = True
HEADER = "diff --git"


def reward(work: Work) -> Value:
    """Return the similarity of the text from its first `diff --git` on with the oracle's; without one, malformed."""
    start = work.patch.find(HEADER)
    if start < 0:
        raise FormatError("unreadable_patch", f"the solution holds no line with {HEADER}")
    return Value(work.similarity(work.patch[start:], work.oracle_patch), {})
