"""Similarity of patches (paper Eq. 1)."""

from cydifflib import SequenceMatcher

from openswerl.reward.outcome import Score


def continuous(predicted: dict[str, str], oracle: dict[str, str]) -> Score:
    """Return the mean over files of the similarity of predicted and oracle diff; 1.0 if neither changes a file.

    Both map path to diff body. A file that one side alone changes counts 0.0. Range [0, 1]. The order of the two
    arguments matters: the matcher is not symmetric.
    """
    paths = sorted(predicted.keys() | oracle.keys())
    files = {path: _similarity(predicted.get(path), oracle.get(path)) for path in paths}
    return Score(sum(files.values()) / len(files) if files else 1.0, files=files)


def _similarity(predicted: str | None, oracle: str | None) -> float:
    if predicted is None or oracle is None:
        return 0.0
    if predicted == oracle:
        return 1.0
    return SequenceMatcher(None, predicted, oracle, autojunk=False).ratio()
