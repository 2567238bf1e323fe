"""Similarity of patches where the answer is a unified diff: the official code's second form of Eq. 1."""

from openswerl.edits import FormatError, patch_bodies
from openswerl.reward.outcome import UnscorableError, Value
from openswerl.reward.work import Work

ANSWER = "unidiff"
INLINE = True


def reward(work: Work) -> Value:
    """Return the mean over files of the similarity of hunk texts; 1.0 if neither patch changes a file."""
    files = work.similarities(_predicted(work), _oracle(work))
    return Value(sum(files.values()) / len(files) if files else 1.0, files)


def _oracle(work: Work) -> dict[str, str]:
    try:
        return patch_bodies(work.oracle_patch)
    except FormatError:
        raise UnscorableError("unreadable_oracle") from None


def _predicted(work: Work) -> dict[str, str]:
    """Return the answer's hunks; an unreadable patch changes nothing by the official rule."""
    try:
        bodies = patch_bodies(work.patch)
        if not bodies:
            raise FormatError("unreadable_patch", "the solution holds no hunk")
        return bodies
    except FormatError as error:
        if error.reason != "unreadable_patch":
            raise
        work.notes.corrupt("unreadable_patch", error.detail)
        return {}
