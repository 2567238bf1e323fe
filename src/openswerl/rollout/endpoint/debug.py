"""Write every request and answer to a file, for when a server and we do not understand each other."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openswerl.rollout.endpoint.channel import HIDDEN, Channel

SECRET = ("authorization", "api-key", "x-api-key", "cookie", "set-cookie", "proxy-authorization")


class Debug:
    """A file of JSON lines for this process, without the key; `folder` None writes nothing."""

    def __init__(self, folder: Path | None, channel: Channel) -> None:
        self.channel = channel
        self.path = folder / f"debug-{os.getpid()}.jsonl" if folder else None
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)

    def note(self, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Append one request with what came of it."""
        if self.path is None:
            return
        line = json.dumps({"request": _plain(request), "answer": _plain(answer)}, default=str)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self.channel.scrub(line) + "\n")


def _plain(value: Any) -> Any:
    """Leave out what headers hold of secrets."""
    if isinstance(value, Mapping):
        return {key: HIDDEN if str(key).lower() in SECRET else _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
