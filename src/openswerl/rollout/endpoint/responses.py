"""Answers that were paid for, on disk: a killed run does not ask for them again."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from openswerl.kept import Kept
from openswerl.rollout.samples import Completion

ADVICE = (
    "name a folder on a disk of this machine by serving.folder, delete the file if it is damaged, or set "
    "serving.cache=false"
)


def key_of(base_url: str, path: str, body: dict[str, Any], seed: int, sample: int) -> bytes:
    """Return the identity of a sample: endpoint, model, prompt and sampling as they are sent, its seed and number."""
    whole = json.dumps([base_url, path, body, seed, sample], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(whole.encode()).digest()


class Responses:
    """A table from requests to answers, which several processes may share; it holds no prompt, no key and no fault.

    An answer that `keep` returned from survives a kill. Raises UserError with `advice` if the file cannot be used.
    """

    def __init__(self, path: Path, advice: str = ADVICE) -> None:
        self._kept = Kept(path, "the answers", advice)

    def count(self) -> int:
        """Return how many answers are there."""
        return self._kept.count()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Completion]:
        """Return the answers that are there."""
        return {key: msgspec.convert(json.loads(value), Completion) for key, value in self._kept.find(keys)}

    def keep(self, key: bytes, completion: Completion) -> None:
        """Store an answer; one that is there stays, and a fault is none."""
        if completion.fault is None:
            text = json.dumps(msgspec.to_builtins(completion))  # ASCII, as a server may send what UTF-8 cannot hold
            self._kept.put(key, text.encode())

    def close(self) -> None:
        """Close the file."""
        self._kept.close()
