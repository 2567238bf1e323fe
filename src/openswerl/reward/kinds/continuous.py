"""Similarity of patches (paper Eq. 1)."""

from openswerl.reward.outcome import Value
from openswerl.reward.work import Work

ANSWER = "search_replace"
INLINE = True


def reward(work: Work) -> Value:
    """Return the mean over files of the similarity of predicted and oracle diff; 1.0 if neither changes a file.

    A file that one side alone changes counts 0.0. Range [0, 1].
    """
    files = work.similarities(*work.diffs)
    return Value(sum(files.values()) / len(files) if files else 1.0, files)
