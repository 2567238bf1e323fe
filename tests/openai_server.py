"""A small server that speaks the OpenAI protocol for a checkpoint, the laptop's unless told, in a process of its own.

Completions and chat, seeds, one stop string, log-probabilities at the sampling temperature (greedy: at 1), streams, and
token ids under the names that vLLM gives them. Requests that wait together are decoded together.
"""

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

MODEL = "tiny"


class Served(NamedTuple):
    """A running server; its key, if it wants one, is what the request must carry."""

    base_url: str
    pid: int

    def requests(self) -> list[dict[str, Any]]:
        """Every request to /v1 so far, in order of arrival: its path and its body, None if it had none."""
        with urlopen(self.base_url.removesuffix("/v1") + "/requests") as answer:
            return json.load(answer)

    def counts(self) -> dict[str, int]:
        """How many requests each path below /v1 got."""
        return dict(Counter(one["path"] for one in self.requests()))

    def overrides(self, **endpoint: Any) -> list[str]:
        """The overrides of the config that reach it."""
        own = {"base_url": self.base_url, "model": MODEL} | endpoint
        return ["rollout=openai", *(f"rollout.endpoint.{key}={value}" for key, value in own.items())]


@contextmanager
def served(checkpoint: Path | str | None = None, *, key: str | None = None) -> Iterator[Served]:
    """Run a server; it ends with the block, and with this process however that ends."""
    arguments = [*(["--checkpoint", str(checkpoint)] if checkpoint else []), *(["--key", key] if key else [])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, __file__, *arguments], env=environment, text=True, **pipes) as process:
        assert process.stdin and process.stdout
        try:
            port = process.stdout.readline().strip()
            assert port, "the server did not start; its error is above"
            yield Served(f"http://127.0.0.1:{port}/v1", process.pid)
        finally:
            process.stdin.close()
            process.terminate()


class Refused(Exception):
    """A request that gets an error object: its status, message and code."""


class Wanted(NamedTuple):
    """One request to the model."""

    ids: list[int]
    max_tokens: int
    temperature: float
    seed: int
    stop: str | None


class Engine:
    """The model, and a thread that decodes whatever waits."""

    def __init__(self, checkpoint: Path | str | None) -> None:
        import torch
        from omegaconf import OmegaConf

        from openswerl.models.checkpoint import PACKAGED, load_policy

        torch.set_num_threads(1)
        settings = OmegaConf.create({"revision": None, "dtype": "float32"})
        self.policy, self.tokenizer = load_policy(settings, checkpoint or PACKAGED)
        self.policy.eval()
        self.context = self.policy.config.max_position_embeddings
        self.waiting: queue.Queue[tuple[Wanted, Future[Any]]] = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def ask(self, wanted: Wanted) -> Any:
        """Return the row of tokens; blocks."""
        future: Future[Any] = Future()
        self.waiting.put((wanted, future))
        return future.result()

    def _work(self) -> None:
        while True:
            together = [self.waiting.get()]
            while not self.waiting.empty():
                together.append(self.waiting.get())
            kinds = dict.fromkeys((wanted.temperature, wanted.stop) for wanted, _ in together)
            for kind in kinds:
                group = [one for one in together if (one[0].temperature, one[0].stop) == kind]
                try:
                    self._decode(*kind, group)
                except Exception as error:
                    for _, future in group:
                        future.set_exception(error)

    def _decode(self, temperature: float, stop: str | None, group: list[tuple[Wanted, "Future[Any]"]]) -> None:
        from openswerl.rollout.decoding import Row, decode
        from openswerl.rollout.ending import Ending

        rows = decode(
            self.policy,
            [wanted.ids for wanted, _ in group],
            samples=1,
            max_new=max(wanted.max_tokens for wanted, _ in group),
            temperature=temperature,
            seeds=[wanted.seed for wanted, _ in group],
            ended=Ending.of(self.policy, self.tokenizer, stop),
        )
        for (wanted, future), row in zip(group, rows, strict=True):
            limit = wanted.max_tokens
            cut = len(row.tokens) > limit
            future.set_result(Row(row.tokens[:limit], row.logprobs[:limit], False) if cut else row)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine: Engine
    key: str | None
    asked: list[dict[str, Any]]

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output short."""

    def do_GET(self) -> None:
        if self.path == "/requests":
            return self.reply(200, self.asked)
        if self.path == "/health":
            return self.reply(200, {})
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers.get("content-length", 0)))))

    def _answer(self, body: dict[str, Any] | None) -> None:
        self.asked.append({"path": self.path.removeprefix("/v1"), "body": body})
        try:
            if self.key and self.headers.get("authorization") != f"Bearer {self.key}":
                raise Refused(401, "Incorrect API key provided", "invalid_api_key")
            if self.path == "/v1/models":
                return self.reply(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
            if body is None or self.path not in ("/v1/completions", "/v1/chat/completions"):
                raise Refused(404, f"no such path: {self.path}", "not_found")
            answer = Answer(self.engine, body, chat=self.path.endswith("/chat/completions"))
            self.stream(answer) if body.get("stream") else self.reply(200, answer.whole())
        except Refused as refused:
            status, message, code = refused.args
            self.reply(status, {"error": {"message": message, "type": "invalid_request_error", "code": code}})

    def reply(self, status: int, document: Any) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, answer: "Answer") -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in answer.pieces():
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


class Answer:
    """The model's answer to one request, in the protocol's words."""

    def __init__(self, engine: Engine, body: dict[str, Any], *, chat: bool) -> None:
        self.body, self.chat, self.tokenizer = body, chat, engine.tokenizer
        if body.get("model") != MODEL:
            raise Refused(404, f"The model `{body.get('model')}` does not exist.", "model_not_found")
        if body.get("n", 1) != 1:
            raise Refused(400, "n must be 1", "invalid_value")
        self.wanted = self._wanted(engine)
        self.row = engine.ask(self.wanted)

    def _wanted(self, engine: Engine) -> Wanted:
        body, ids = self.body, self._ids()
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or 16
        if len(ids) + limit > engine.context:
            asked = f"{len(ids)} tokens in the prompt and {limit} for the answer"
            message = f"This model's maximum context length is {engine.context} tokens, but you asked for {asked}."
            raise Refused(400, message, "context_length_exceeded")
        stop = body.get("stop")
        tag = stop[0] if isinstance(stop, list) and stop else stop or None
        return Wanted(ids, limit, float(body.get("temperature", 1.0)), int(body.get("seed") or 0), tag)

    def _ids(self) -> list[int]:
        if not self.chat:
            prompt = self.body["prompt"]
            return list(prompt) if isinstance(prompt, list) else self.tokenizer.encode(prompt, add_special_tokens=False)
        if not self.tokenizer.chat_template:
            raise Refused(400, "the tokenizer has no chat template", "invalid_value")
        messages = self.body["messages"]
        return list(self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False))

    def _text(self, tokens: list[int]) -> str:
        skip = self.body.get("skip_special_tokens", True)
        text = str(self.tokenizer.decode(tokens, skip_special_tokens=skip))
        stop = self.wanted.stop
        return text if stop is None or self.body.get("include_stop_str_in_output") else text.partition(stop)[0]

    def _choice(self, text: str, tokens: list[int], logprobs: list[float], end: bool, *, delta: bool) -> dict[str, Any]:
        finish = ("stop" if self.row.finished else "length") if end else None
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish}
        if self.chat:
            choice["delta" if delta else "message"] = {"role": "assistant", "content": text}
        else:
            choice["text"] = text
        if self.body.get("return_token_ids"):
            choice["token_ids"] = tokens
        asked = self.body.get("logprobs")
        if asked is not None and asked is not False:  # 0 asks for those of the sampled tokens
            names = [self.tokenizer.decode([token]) for token in tokens]
            pairs = [{"token": n, "logprob": p, "top_logprobs": []} for n, p in zip(names, logprobs, strict=True)]
            listed = {"tokens": names, "token_logprobs": logprobs, "top_logprobs": None, "text_offset": []}
            choice["logprobs"] = {"content": pairs} if self.chat else listed
        return choice

    def _document(self, choices: list[dict[str, Any]], *, piece: bool) -> dict[str, Any]:
        kind = ("chat.completion" if self.chat else "text_completion") + (".chunk" if piece and self.chat else "")
        document: dict[str, Any] = {"id": "1", "object": kind, "created": 0, "model": MODEL, "choices": choices}
        if self.body.get("return_token_ids"):
            (document if self.chat or not choices else choices[0])["prompt_token_ids"] = self.wanted.ids
        return document

    @property
    def usage(self) -> dict[str, int]:
        prompt, new = len(self.wanted.ids), len(self.row.tokens)
        return {"prompt_tokens": prompt, "completion_tokens": new, "total_tokens": prompt + new}

    def whole(self) -> dict[str, Any]:
        """The answer in one piece."""
        row = self.row
        choice = self._choice(self._text(row.tokens), row.tokens, row.logprobs, True, delta=False)
        return self._document([choice], piece=False) | {"usage": self.usage}

    def pieces(self) -> Iterator[dict[str, Any]]:
        """The answer token by token; a character of several tokens comes with the last of them."""
        tokens, sent, start = self.row.tokens, "", 0
        whole = self._text(tokens)
        for end in range(1, len(tokens) + 1):
            text = self._text(tokens[:end])
            last = end == len(tokens)
            if not last and not whole.startswith(text):
                continue
            logprobs = self.row.logprobs[start:end]
            choice = self._choice(text[len(sent) :], tokens[start:end], logprobs, last, delta=True)
            yield self._document([choice], piece=True)
            sent, start = text, end
        if (self.body.get("stream_options") or {}).get("include_usage"):
            yield self._document([], piece=True) | {"usage": self.usage}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def main() -> None:
    """Serve until standard input ends; the first line of standard output is the port."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint")
    parser.add_argument("--key")
    options = parser.parse_args()
    handler = type("Bound", (Handler,), {"engine": Engine(options.checkpoint), "key": options.key, "asked": []})
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        print(server.server_port, flush=True)
        sys.stdin.read()
        os._exit(0)


if __name__ == "__main__":
    main()
