"""Each answer that is none, from a server that really gives it: the message, and how often it was asked."""

import pytest

from misbehaving import CANARY, answered, ask, behaving, channel, error, events, page, piece, says
from openswerl.errors import UserError
from openswerl.rollout.endpoint.channel import NO_KEY, Channel

# Behaviour, and the message after the address; each concerns every request, so that one attempt is enough.
FATAL = {
    "wrong key": (
        error(401, f"Incorrect API key provided: {CANARY}.", "invalid_api_key"),
        " answers 401: it does not accept the key in OPENAI_API_KEY (Incorrect API key provided: [key].); check that "
        "it is a key of this endpoint and still valid",
    ),
    "no access": (
        error(403, "Project has no access to tiny"),
        " answers 403: the key in OPENAI_API_KEY may not use the model tiny (Project has no access to tiny); ask for "
        "access, or use another key or model",
    ),
    "model": (
        error(404, "The model `tiny` does not exist or you do not have access to it.", "model_not_found"),
        " has no model tiny; it offers big, small; set OPENAI_MODEL or rollout.endpoint.model",
    ),
    "model of Ollama": (
        error(404, 'model "tiny" not found, try pulling it first'),
        " has no model tiny; it offers big, small; set OPENAI_MODEL or rollout.endpoint.model",
    ),
    "model, status 400": (
        error(400, "tiny is not a valid model ID"),
        " has no model tiny; it offers big, small; set OPENAI_MODEL or rollout.endpoint.model",
    ),
    "path": (
        says({"detail": "Not Found"}, 404),
        " answers 404: there is no such path (Not Found); is it the right server: check OPENAI_BASE_URL or "
        "rollout.endpoint.base_url",
    ),
    "OAuth": (
        says({"error": "invalid_grant", "error_description": "Token has been expired or revoked."}, 400),
        ": the token in OPENAI_API_KEY has expired or was revoked (Token has been expired or revoked.); get a new one "
        "and set the variable again",
    ),
    "expired token": (
        error(401, "Your authentication token has expired.", "token_expired"),
        ": the token in OPENAI_API_KEY has expired or was revoked (Your authentication token has expired.); get a new "
        "one and set the variable again",
    ),
    "quota": (
        error(429, "You exceeded your current quota.", "insufficient_quota"),
        ": the account of the key in OPENAI_API_KEY has no credit left (You exceeded your current quota.); top it up, "
        "or use another key",
    ),
    "payment": (
        error(402, "Pay first"),
        ": the account of the key in OPENAI_API_KEY has no credit left (Pay first); top it up, or use another key",
    ),
    "page": (
        page("Sign in"),
        ' answers 200 with a web page titled "Sign in" instead of JSON; the address usually ends in /v1, or a proxy or '
        "a login stands before it: check OPENAI_BASE_URL or rollout.endpoint.base_url",
    ),
    "page, status 403": (
        page("Just a moment...", 403),
        ' answers 403 with a web page titled "Just a moment..." instead of JSON; the address usually ends in /v1, or a '
        "proxy or a login stands before it: check OPENAI_BASE_URL or rollout.endpoint.base_url",
    ),
    "status within 200": (
        says({"error": {"message": "No auth credentials found", "code": 401}}),
        " answers 200 with an error object of status 401: it does not accept the key in OPENAI_API_KEY (No auth "
        "credentials found); check that it is a key of this endpoint and still valid",
    ),
    "moved": (
        says({}, 308, Location="https://api.example.org/v1/chat/completions?token=secret#top"),
        " answers 308 and sends requests on to https://api.example.org/v1/chat/completions; set OPENAI_BASE_URL or "
        "rollout.endpoint.base_url to the address of the endpoint itself",
    ),
    "moved to a login": (
        says({}, 302, Location="/login?next=/v1"),
        " answers 302 and sends requests on to /login; set OPENAI_BASE_URL or rollout.endpoint.base_url to the "
        "address of the endpoint itself",
    ),
    "field": (
        says({"error": {"message": "Unsupported parameter: use another", "param": "max_tokens"}}, 400),
        " answers 400: it does not take the field max_tokens (Unsupported parameter: use another); set "
        "rollout.endpoint.limit_key=max_completion_tokens",
    ),
    "unnamed field": (
        says({"message": "property 'seed' is not supported"}, 422),
        " answers 422: it does not take the field seed (property 'seed' is not supported); set "
        "rollout.endpoint.send_seed=false",
    ),
}
# Behaviour, fault, message and number of attempts of two; other requests may do better.
FAULTY = {
    "context": (
        error(400, "This model's maximum context length is 512 tokens.", "context_length_exceeded"),
        "context_length",
        ": a prompt and its answer are longer than the model's context (This model's maximum context length is 512 "
        "tokens.); lower model.max_prompt_tokens or model.max_response_tokens",
        1,
    ),
    "filtered prompt": (
        error(400, "The response was filtered.", "content_filter"),
        "content_filter",
        ": a prompt was refused by the content filter (The response was filtered.)",
        1,
    ),
    "filtered answer": (
        says(answered("", "content_filter")),
        "content_filter",
        ": an answer was held back by the content filter",
        1,
    ),
    "refused": (
        error(400, "temperature is too high"),
        "refused",
        " answers 400: it refuses the request (temperature is too high); see rollout.endpoint and model",
        1,
    ),
    "storm": (
        error(429, "Slow down"),
        "rate_limit",
        " answers 429: too many requests (Slow down); lower serving.connections, or raise serving.attempts or "
        "serving.max_wait_s",
        2,
    ),
    "tokens of a minute": (
        error(429, "Too many tokens, please wait"),
        "rate_limit",
        " answers 429: too many requests (Too many tokens, please wait); lower serving.connections, or raise "
        "serving.attempts or serving.max_wait_s",
        2,
    ),
    "500": (
        error(500, "CUDA out of memory"),
        "server_error",
        " answers 500: CUDA out of memory; the server is at fault, try again later",
        2,
    ),
    "503 without a word": (
        lambda handler: handler.reply(503),
        "server_error",
        " answers 503: no reason given; the server is at fault, try again later",
        2,
    ),
    "gateway's page": (
        page("502 Bad Gateway", 502),
        "server_error",
        ' answers 502 with a web page titled "502 Bad Gateway" instead of JSON; the address usually ends in /v1, or a '
        "proxy or a login stands before it: check OPENAI_BASE_URL or rollout.endpoint.base_url",
        2,
    ),
    "error object": (
        error(200, "Provider returned error"),
        "server_error",
        " answers 200 with an error object and no choices: Provider returned error; see what the gateway or the model "
        "behind it says",
        2,
    ),
    "no choices": (says({"id": "1"}), "broken_answer", ": it answered without choices; try again later", 2),
    "empty choices": (
        says({"id": "1", "choices": []}),
        "broken_answer",
        ": it answered with an empty list of choices; try again later",
        2,
    ),
    "plain text": (
        lambda handler: handler.reply(200, b"upstream says no"),
        "broken_answer",
        ": the answer is not JSON ('upstream says no'); try again later",
        2,
    ),
    "nothing": (
        lambda handler: handler.reply(200),
        "broken_answer",
        ": the answer is not JSON (it is empty); try again later",
        2,
    ),
    "other types": (
        says({"choices": [{"text": "a", "finish_reason": "stop", "token_ids": 3}]}),
        "broken_answer",
        ': the answer has another form than the protocol\'s (\'{"choices": [{"text": "a", "finish_reason": '
        '"stop", "token_i\'); try again later',
        2,
    ),
    "nested without end": (
        lambda handler: handler.reply(200, b"[" * 10**5),
        "broken_answer",
        f": the answer is not JSON ('{'[' * 60}'); try again later",
        2,
    ),
    "no finish reason": (
        says(answered("a", None)),
        "broken_answer",
        ": an answer ended for an unknown reason (None); try again later",
        2,
    ),
    "cut stream": (
        events([piece("on")], end=b""),
        "broken_answer",
        ": the stream broke off before its end; try again later",
        2,
    ),
    "cut piece": (
        events([piece("on")], end=b'data: {"choices": [{"del'),
        "broken_answer",
        ": the stream broke off in the middle of a piece; try again later",
        2,
    ),
    "error in a stream": (
        events([piece("on"), {"error": {"message": "The engine died", "code": 500}}]),
        "server_error",
        " answers 200 with an error object of status 500: The engine died; the server is at fault, try again later",
        2,
    ),
}


@pytest.mark.parametrize(("behaviour", "message"), FATAL.values(), ids=FATAL)
def test_what_concerns_every_request_ends_the_run_at_once(behaviour, message):
    with behaving(behaviour) as server, pytest.raises(UserError) as caught:
        ask(channel(f"{server.url}/v1"))
    assert str(caught.value) == f"{server.url}/v1{message}"
    assert server.paths().count("/v1/chat/completions") == 1


@pytest.mark.parametrize(("behaviour", "fault", "message", "attempts"), FAULTY.values(), ids=FAULTY)
def test_what_concerns_one_request_is_its_fault_and_said_once(behaviour, fault, message, attempts, capsys):
    with behaving(behaviour) as server:
        completions = ask(channel(f"{server.url}/v1"), times=2)
    for completion in completions:
        assert (completion.text, completion.finished, completion.fault) == ("", False, fault)
        assert completion.usage.requests == attempts
    assert capsys.readouterr().err == f"{server.url}/v1{message}\n"
    assert len(server.asked) == 2 * attempts


def test_an_address_without_v1():
    with behaving(says({"detail": "Not Found"}, 404)) as server, pytest.raises(UserError) as caught:
        ask(channel(server.url))
    assert str(caught.value) == (
        f"{server.url} answers 404: there is no such path (Not Found); the address lacks /v1 at its end: check "
        "OPENAI_BASE_URL or rollout.endpoint.base_url"
    )


def test_a_local_server_that_does_want_a_key():
    with behaving(error(401, "Unauthorized")) as server, pytest.raises(UserError) as caught:
        ask(channel(f"{server.url}/v1", key=NO_KEY))
    assert str(caught.value) == (
        f"{server.url}/v1 answers 401: it wants a key (Unauthorized), and OPENAI_API_KEY is not set; export it"
    )


def test_messages_name_the_variables_that_were_read():
    with behaving(error(401, "No")) as server, pytest.raises(UserError) as caught:
        ask(Channel(f"{server.url}/v1", "k", "tiny", "OTHER_KEY", "OTHER_URL", "OTHER_MODEL"))
    assert "the key in OTHER_KEY (No)" in str(caught.value)
    with behaving(error(404, "unknown model tiny")) as server, pytest.raises(UserError) as caught:
        ask(Channel(f"{server.url}/v1", "k", "tiny", "OTHER_KEY", "OTHER_URL", "OTHER_MODEL"))
    assert str(caught.value).endswith("set OTHER_MODEL or rollout.endpoint.model")


def test_what_a_server_says_is_one_line_of_bounded_length():
    with behaving(error(403, "a\nb\t" + "c" * 1000)) as server, pytest.raises(UserError) as caught:
        ask(channel(f"{server.url}/v1"))
    assert "(a b " + "c" * 193 + "...)" in str(caught.value)
