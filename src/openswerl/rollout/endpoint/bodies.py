"""A response as it came, and what its body says."""

from typing import Any

import msgspec

from openswerl.rollout.endpoint.channel import Channel

SHOWN = 200


class Reply(msgspec.Struct, frozen=True):
    """A response as it came."""

    status: int
    headers: dict[str, str]
    text: str


def is_page(reply: Reply) -> bool:
    """Whether a person with a browser was meant to read this."""
    start = reply.text.lstrip()[:15].lower()
    return "text/html" in reply.headers.get("content-type", "") or start.startswith(("<!doctype html", "<html"))


def decoded(text: str) -> Any:
    """Return a JSON document. Raises ValueError if it is none, or nested too deeply for any answer."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def error_of(text: str) -> dict[str, Any]:
    """Return the error object of a body, in the forms that servers give it; empty if there is none."""
    try:
        document = decoded(text)
    except ValueError:
        return {}
    document = document[0] if isinstance(document, list) and document else document
    if not isinstance(document, dict):
        return {}
    error = document.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str):  # OAuth: {"error": "invalid_grant", "error_description": "..."}
        return {"code": error, "message": document.get("error_description") or error}
    message = document.get("message") or document.get("detail")
    return {"code": document.get("code"), "message": message} if message and "choices" not in document else {}


def said(reply: Reply, channel: Channel) -> str:
    """The server's own words in one line, without the key."""
    message = str(error_of(reply.text).get("message") or reply.text or "no reason given")
    line = " ".join(channel.scrub(message).split())
    return line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
