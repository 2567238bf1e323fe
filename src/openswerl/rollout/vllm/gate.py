"""Keeps everybody else out of a server whose weights can be exchanged: vLLM's own check spares those addresses."""

import os
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

KEY_VARIABLE = "OPENSWERL_VLLM_KEY"
NAME = f"{__name__}.Gate"
OPEN = "/health"


class Gate:
    """An ASGI layer that answers 401 to requests without the key of this server; only its health is public."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app, self.wanted = app, f"Bearer {os.environ[KEY_VARIABLE]}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on what carries the key."""
        if scope["type"] != "http" or scope["path"] == OPEN or self._known(scope["headers"]):
            await self.app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def _known(self, headers: list[tuple[bytes, bytes]]) -> bool:
        return any(name == b"authorization" and secrets.compare_digest(value, self.wanted) for name, value in headers)
