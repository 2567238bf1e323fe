"""An endpoint that answers with what it was asked, so that any mix-up shows; and the config that reaches it."""

import json
from pathlib import Path

from servers import Handler


def settings(url: str, folder: Path, **serving: object) -> list[str]:
    values = {"folder": folder, "attempts": 3, "max_wait_s": 0.01} | serving
    endpoint = ("rollout=openai", f"rollout.endpoint.base_url={url}/v1", "rollout.endpoint.model=m")
    return [*endpoint, *(f"serving.{key}={value}" for key, value in values.items())]


def answer(handler: Handler, body: str) -> None:
    """Answer with what was asked, so that any mix-up shows."""
    asked = json.loads(body)
    text = f"{asked['prompt']} with {asked.get('seed')}"
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    choices = [{"index": 0, "text": text, "finish_reason": "stop"}]
    handler.reply(200, json.dumps({"model": "m", "choices": choices, "usage": usage}).encode())
