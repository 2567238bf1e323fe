"""A key that is planted, echoed by the server wherever it can, and then looked for everywhere."""

import json
import logging
import traceback
from urllib.parse import quote

import pytest

from misbehaving import CANARY, answered, ask, behaving, channel, error, events, page, piece, raw, says, serving
from openswerl.config import load
from openswerl.errors import UserError
from openswerl.rollout import open_sampler
from openswerl.rollout.endpoint.client import Client
from openswerl.rollout.endpoint.debug import Debug

ECHO = {"X-Echo": CANARY, "Set-Cookie": f"key={CANARY}"}
ANSWERS = {
    "answer": says(answered(f"one {CANARY}") | {"model": CANARY, "id": CANARY}, **ECHO),
    "stream": events([piece(f"one {CANARY[:9]}"), piece(CANARY[9:], "stop") | {"model": CANARY}]),
    "401": error(401, f"bad key {CANARY}", CANARY, **ECHO),
    "404": error(404, f"model {CANARY} not found", CANARY),
    "500": error(500, f"{'x' * 190} {CANARY}"),
    "200": says({"error": {"message": f"Bearer {CANARY}", "code": CANARY}}),
    "page": page(f"Bearer {CANARY}"),
    "text": lambda handler: handler.reply(200, f"Bearer {CANARY}".encode()),
    "reason": says(answered("one", CANARY)),
    "header": lambda handler: handler.reply(429, b"{}", **{"Retry-After": CANARY}),
    "no header": raw(f"HTTP/1.1 200 OK\r\nno header {CANARY}\r\n\r\n"),
    "no status": raw(f"HTTP/1.1 {CANARY} no status\r\n\r\n"),
    "reason phrase": raw(f"HTTP/1.1 500 {CANARY}\r\nContent-Length: 0\r\n\r\n"),
    "place": says({}, 302, Location=f"https://{CANARY}/{CANARY}?key={CANARY}"),
    "no place": says({}, 302, Location=f"https://[{CANARY}/"),
}
AWKWARD = 'sk-ca"na\\ry/5f1d+0c2b9a='
FORMS = (
    AWKWARD,
    json.dumps(AWKWARD)[1:-1],
    json.dumps(json.dumps(AWKWARD)[1:-1])[1:-1],
    AWKWARD.replace("/", "\\/"),
    quote(AWKWARD, safe=""),
)
ESCAPED = {
    "message": error(401, f"bad key {AWKWARD}"),
    "answer": says(answered(f"one {AWKWARD}") | {"model": AWKWARD}),
    "offer": says({"error": {"message": "unknown model"}, "data": [{"id": AWKWARD}]}, 404),
    "other form": says({"choices": [{"text": AWKWARD, "finish_reason": "stop", "token_ids": 3}]}),
    "escaped slash": lambda handler: handler.reply(401, json.dumps({"detail": AWKWARD}).replace("/", "\\/").encode()),
    "place": says({}, 302, Location=f"/login/{quote(AWKWARD, safe='')}"),
}


@pytest.mark.parametrize("behaviour", ANSWERS.values(), ids=ANSWERS)
def test_the_key_is_nowhere(behaviour, tmp_path, capsys, caplog, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    kept = ("debug", "record", "cache")
    with behaving(behaviour) as server:
        cfg = load(
            *("rollout=openai", f"rollout.endpoint.base_url={server.url}/v1", "rollout.endpoint.model=tiny"),
            *(f"serving.{name}=true" for name in kept),
            *(f"serving.folder={tmp_path}", "serving.attempts=2", "serving.max_wait_s=0.01"),
        )
        sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, "unused")
        shown = [repr(sampler), repr(vars(sampler))]
        try:
            shown += map(repr, sampler.generate(["Say one."], samples=1, temperature=0.0, seeds=[1]))
        except UserError as fault:
            shown += [repr(fault), *traceback.format_exception(fault)]
        finally:
            sampler.close()
    assert any(one.headers.get("authorization") == f"Bearer {CANARY}" for one in server.asked)  # it was planted
    said = capsys.readouterr()
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(name.startswith("debug-") for name in files)
    assert not [text for text in [*shown, said.out, said.err, caplog.text] if CANARY in text]
    assert not [name for name, content in files.items() if CANARY.encode() in content]


@pytest.mark.parametrize("behaviour", ESCAPED.values(), ids=ESCAPED)
def test_a_key_that_has_to_be_escaped_is_nowhere_either(behaviour, tmp_path, capsys):
    with behaving(behaviour) as server:
        server.script["/v1/models"].append(behaviour)
        try:
            shown = repr(ask(channel(f"{server.url}/v1", key=AWKWARD), settings=serving(tmp_path, debug=True)))
        except UserError as fault:
            shown = str(fault)
    (path,) = tmp_path.iterdir()
    texts = [shown, capsys.readouterr().err, path.read_text()]
    assert "[key]" in texts[2]
    assert not [(form, text) for form in FORMS for text in texts if form in text]


def test_debug_holds_each_request_and_answer_without_the_headers_of_secrets(tmp_path):
    with behaving(error(500, "Oh"), then=says(answered(), **ECHO)) as server:
        ask(channel(f"{server.url}/v1"), settings=serving(tmp_path, debug=True))
    (path,) = tmp_path.iterdir()
    first, second = map(json.loads, path.read_text().splitlines())
    assert first["request"] == second["request"]
    assert first["request"]["url"] == f"{server.url}/v1/chat/completions"
    assert first["request"]["body"]["messages"] == [{"role": "user", "content": "Say one."}]
    assert (first["answer"]["status"], second["answer"]["status"]) == (500, 200)
    assert json.loads(second["answer"]["text"]) == answered()
    assert (second["answer"]["headers"]["set-cookie"], second["answer"]["headers"]["x-echo"]) == ("[key]", "[key]")


def test_debug_holds_what_never_got_an_answer(tmp_path):
    with behaving(says({})) as server:
        url = f"{server.url}/v1"
    with pytest.raises(UserError):
        ask(channel(url), settings=serving(tmp_path, debug=True, attempts=1))
    (path,) = tmp_path.iterdir()
    assert "connection refused" in json.loads(path.read_text())["answer"]["error"]


def test_nothing_is_written_unless_asked(tmp_path):
    with behaving(says(answered())) as server:
        ask(channel(f"{server.url}/v1"), settings=serving(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_client_shows_no_key(tmp_path):
    client = Client(channel("https://host/v1"), None, serving(tmp_path))
    assert CANARY not in repr(client) + repr(vars(client))


def test_debug_cuts_the_key_out_of_whatever_it_is_given(tmp_path):
    Debug(tmp_path, channel("https://host/v1")).note({"url": CANARY}, {"error": [f"Bearer {CANARY}"]})
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text()) == {"request": {"url": "[key]"}, "answer": {"error": ["Bearer [key]"]}}
