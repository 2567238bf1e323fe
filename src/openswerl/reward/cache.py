"""Remember the latest scores: the samples of a group are often equal."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from openswerl.reward.outcome import Score
from openswerl.reward.settings import Call


class ScoreCache:
    """At most `size` scores by the content of their calls, the least recently used going first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._scores: OrderedDict[bytes, Score] = OrderedDict()

    def get(self, key: bytes) -> Score | None:
        """Return a stored score with `seconds` 0, None if there is none."""
        if key not in self._scores:
            return None
        self._scores.move_to_end(key)
        return replace(self._scores[key], seconds=0.0)

    def put(self, key: bytes, score: Score) -> None:
        """Store a score, unless scoring again may end in another way: a limit of time depends on the load."""
        if score.reward is None or not self._size:
            return
        self._scores[key] = score
        while len(self._scores) > self._size:
            self._scores.popitem(last=False)


def key_of(call: Call) -> bytes:
    """Return a hash of all that a score depends on besides the settings."""
    digest = hashlib.blake2b(repr(call.place).encode(), digest_size=16)
    for text in (*_texts(call.context), *_texts(call.oracle), call.output):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()


def _texts(files: Mapping[str, str]) -> list[str]:
    return [str(len(files)), *(text for item in sorted(files.items()) for text in item)]
