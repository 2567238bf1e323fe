"""What endpoints do when they misbehave, and a client with short waits that asks them; see tests/servers.py."""

import asyncio
import json
import ssl
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from openswerl.config import load
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.endpoint.client import Client
from openswerl.rollout.endpoint.requests import Question
from openswerl.rollout.samples import Completion
from servers import Handler, Server, running

CANARY = "sk-canary-5f1d0c2b9a"
QUESTION = Question([{"role": "user", "content": "Say one."}], temperature=0.0, max_tokens=8, seed=7)
Behaviour = Callable[[Handler], None]


def endpoint(**changes: Any) -> DictConfig:
    """The settings of the configuration."""
    return OmegaConf.create(OmegaConf.to_container(load().rollout.endpoint) | changes)


def serving(folder: Path | str = "/nonexistent", **changes: Any) -> DictConfig:
    """The settings of the configuration, with short waits."""
    short = {"attempts": 2, "max_wait_s": 0.01, "connect_timeout_s": 2.0, "timeout_s": 5.0, "total_timeout_s": 10.0}
    return OmegaConf.create(OmegaConf.to_container(load().serving) | short | {"folder": str(folder)} | changes)


def channel(base_url: str, *, key: str = CANARY, model: str | None = "tiny") -> Channel:
    """The address of a server."""
    return Channel(base_url, key, model)


def ask(
    channel: Channel, *, settings: DictConfig | None = None, question: Question = QUESTION, times: int = 1
) -> list[Completion]:
    """Ask so many times, one after the other."""

    async def run() -> list[Completion]:
        async with Client(channel, endpoint(), settings or serving()) as client:
            return [await client.ask(question) for _ in range(times)]

    return asyncio.run(run())


def answered(text: str = "one", reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    """An answer of the chat path."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    return {"id": "1", "model": "tiny-1", "choices": [choice | more], "usage": usage}


def says(document: Any, status: int = 200, **headers: str) -> Behaviour:
    """Answer with JSON."""
    return lambda handler: handler.reply(
        status, json.dumps(document).encode(), **{"Content-Type": "application/json", **headers}
    )


def error(status: int, message: str, code: str | None = None, **headers: str) -> Behaviour:
    """Answer with an error object."""
    return says({"error": {"message": message, "type": None, "code": code}}, status, **headers)


def page(title: str, status: int = 200) -> Behaviour:
    """Answer with a web page."""
    text = f"<!DOCTYPE html>\n<html><head><title>\n {title}\n</title></head><body>Hello</body></html>"
    return lambda handler: handler.reply(status, text.encode(), **{"Content-Type": "text/html; charset=utf-8"})


def half(document: Any) -> Behaviour:
    """Promise a whole body, send half of it, and hang up."""

    def run(handler: Handler) -> None:
        body = json.dumps(document).encode()
        _start(handler, "application/json", len(body))
        handler.wfile.write(body[: len(body) // 2])
        handler.cut()

    return run


def half_unannounced(document: Any) -> Behaviour:
    """Send half of a body of which no length was promised, and hang up."""

    def run(handler: Handler) -> None:
        _start(handler, "application/json", None)
        handler.wfile.write(json.dumps(document).encode()[:30])
        handler.cut()

    return run


def piece(text: str, reason: str | None = None) -> dict[str, Any]:
    """A piece of a stream of the chat path."""
    return {"model": "tiny-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}


def events(pieces: Iterable[Any], *, end: bytes = b"data: [DONE]\n\n") -> Behaviour:
    """Stream pieces as server-sent events, close with `end`, and hang up."""

    def run(handler: Handler) -> None:
        _start(handler, "text/event-stream", None)
        for one in pieces:
            handler.wfile.write(b"data: " + json.dumps(one).encode() + b"\n\n")
        handler.wfile.write(end)
        handler.cut()

    return run


def raw(reply: str) -> Behaviour:
    """Answer with what may be no HTTP at all, and hang up."""

    def run(handler: Handler) -> None:
        handler.wfile.write(reply.encode())
        handler.cut()

    return run


def silent(handler: Handler) -> None:
    """Say nothing until the client goes away."""
    handler.rfile.read(1)
    handler.cut()


def slow_loris(handler: Handler) -> None:
    """Send a space at a time, for ever."""
    _start(handler, "application/json", 10**6)
    try:
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)
    except OSError:
        handler.close_connection = True


def _start(handler: Handler, kind: str, length: int | None) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header(*(("Connection", "close") if length is None else ("Content-Length", str(length))))
    handler.end_headers()


@contextmanager
def behaving(*behaviours: Behaviour, then: Behaviour | None = None) -> Iterator[Server]:
    """Run a server that does these one after the other, then `then`; without it the last one for ever."""
    left = list(behaviours)

    def serve(handler: Handler, _: str) -> None:
        if handler.command == "GET":
            return says({"object": "list", "data": [{"id": "big"}, {"id": "small"}]})(handler)
        if len(left) > 1 or (left and then):
            return left.pop(0)(handler)
        return (then or left[0])(handler)

    with running(serve) as server:
        yield server


def certificate(folder: Path) -> Path:
    """Make a self-signed certificate for 127.0.0.1; the file holds its key too."""
    path = folder / "own.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run([*command.split(), "-keyout", path, "-out", folder / "cert"], check=True, capture_output=True)
    path.write_text(path.read_text() + (folder / "cert").read_text())
    return path


def secure(server: Server, pem: Path) -> str:
    """Let a server speak TLS from now on; return its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return f"https://127.0.0.1:{server.server_port}/v1"
