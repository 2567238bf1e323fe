"""A real HTTP server on this machine: it serves files, misbehaves as told, or answers as a function says."""

import hashlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from omegaconf import OmegaConf

LAST_MODIFIED = "Thu, 01 Jan 2015 01:05:00 GMT"


def network(url: str, **changes: Any):
    """The network group with short waits."""
    values = {
        "archive_url": url,
        "clone_url": url,
        "api_url": url,
        "token_variable": "OPENSWERL_TEST_TOKEN",
        "connections": 1,
        "attempts": 3,
        "timeout_s": 5.0,
        "max_wait_s": 0.01,
        "clone_timeout_s": 20.0,
    }
    return OmegaConf.create(values | changes)


class Asked(NamedTuple):
    """One request; `headers` in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: str
    at: float


class Server(ThreadingHTTPServer):
    """`script[path]` holds what to do instead with the next requests; `asked` is every request."""

    daemon_threads = True
    request_queue_size = 1024  # who connects at once need not try again

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[Asked] = []
        self.script: dict[str, list[Callable[[Handler], None]]] = defaultdict(list)
        self.files: dict[str, bytes] = {}
        self.serve: Callable[[Handler, str], None] = serve_file

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self) -> list[str]:
        return [one.path for one in self.asked]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output short."""

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode(errors="replace")
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, self.path, headers, body, time.monotonic()))
        script = self.server.script[self.path]
        if script:
            script.pop(0)(self)
        else:
            self.server.serve(self, body)

    do_GET = do_POST = do_PUT = handle_any

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def cut(self) -> None:
        """End the connection here."""
        self.wfile.flush()
        self.close_connection = True


def validators(data: bytes) -> dict[str, str]:
    """The headers that tell one state of a file from another."""
    return {"ETag": f'"{hashlib.md5(data).hexdigest()}"', "Last-Modified": LAST_MODIFIED}


def serve_file(handler: Handler, _: str = "", *, ranges: bool = True, stop_after: int | None = None) -> None:
    """Serve `files[path]`, whole or from the offset of a Range whose If-Range still holds; may end too early."""
    data = handler.server.files.get(handler.path)
    if data is None:
        return handler.reply(404, b"no such file")
    headers = validators(data)
    wanted, condition = handler.headers.get("range"), handler.headers.get("if-range")
    start, status = 0, 200
    if ranges and wanted and condition in headers.values():
        start, status = int(wanted.removeprefix("bytes=").removesuffix("-")), 206
        if start >= len(data):
            return handler.reply(416, **{"Content-Range": f"bytes */{len(data)}"})
        headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
    handler.send_response(status)
    for key, value in {**headers, "Content-Length": str(len(data) - start)}.items():
        handler.send_header(key, value)
    handler.end_headers()
    handler.wfile.write(data[start:] if stop_after is None else data[start : start + stop_after])
    if stop_after is not None:
        handler.cut()


def status(code: int, body: bytes = b"", **headers: str) -> Callable[[Handler], None]:
    """Answer with a status."""
    return lambda handler: handler.reply(code, body, **headers)


def drop(after: int) -> Callable[[Handler], None]:
    """Serve so many bytes, then end the connection."""
    return lambda handler: serve_file(handler, stop_after=after)


def no_ranges(handler: Handler) -> None:
    """Serve the whole file whatever was asked."""
    serve_file(handler, ranges=False)


def hang_up(handler: Handler) -> None:
    """End the connection without an answer."""
    handler.cut()


def stall(after: int, reached: threading.Event) -> Callable[[Handler], None]:
    """Serve so many bytes, say so, and send nothing more until the client goes away."""

    def run(handler: Handler) -> None:
        data = handler.server.files[handler.path]
        handler.send_response(200)
        for key, value in {**validators(data), "Content-Length": str(len(data))}.items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(data[:after])
        handler.wfile.flush()
        reached.set()
        handler.rfile.read(1)

    return run


@contextmanager
def running(serve: Callable[[Handler, str], None] = serve_file) -> Iterator[Server]:
    """Run a server in a thread."""
    with Server() as server:
        server.serve = serve
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
