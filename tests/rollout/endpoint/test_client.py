"""One request and its attempts: what is asked again, who waits with whom, and when a run gives up."""

import asyncio
import json
import time

import pytest

from misbehaving import (
    CANARY,
    QUESTION,
    answered,
    ask,
    behaving,
    channel,
    endpoint,
    error,
    events,
    half,
    page,
    piece,
    says,
    serving,
)
from openswerl.errors import UserError
from openswerl.rollout.endpoint.client import FAILURES_IN_A_ROW, Client
from openswerl.rollout.samples import Usage
from servers import hang_up

USAGE = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}


def together(base_url: str, number: int, settings):
    """Ask so many times at once."""

    async def run():
        async with Client(channel(base_url), endpoint(), settings) as client:
            return await asyncio.gather(*(client.ask(QUESTION) for _ in range(number)))

    return asyncio.run(run())


@pytest.mark.parametrize(
    "fault",
    [hang_up, half(answered()), error(429, "Slow"), error(500, "Oh"), page("Bad gateway", 502), says({"choices": []})],
)
def test_what_passes_is_asked_again_and_counted(fault, capsys):
    with behaving(fault, fault, then=says(answered())) as server:
        (completion,) = ask(channel(f"{server.url}/v1"), settings=serving(attempts=3))
    assert (completion.text, completion.finished, completion.model) == ("one", True, "tiny-1")
    assert completion.usage == Usage(prompt=5, completion=1, requests=3)
    bodies = {one.body for one in server.asked}
    assert len(server.asked) == 3 and len(bodies) == 1
    assert capsys.readouterr().err == ""


def test_a_stream_that_breaks_off_is_asked_again_and_put_together():
    cut = events([piece("o")], end=b"")
    whole = events([piece("o"), piece("n"), piece("e", "stop"), USAGE])
    with behaving(cut, then=whole) as server:
        (completion,) = ask(channel(f"{server.url}/v1"), settings=serving(stream=True))
    assert (completion.text, completion.finished, completion.model) == ("one", True, "tiny-1")
    assert completion.usage == Usage(prompt=5, completion=2, requests=2)
    sent = json.loads(server.asked[0].body)
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_an_answer_of_full_length_is_not_finished():
    with behaving(says(answered("on", "length"))) as server:
        (completion,) = ask(channel(f"{server.url}/v1"))
    assert (completion.text, completion.finished, completion.fault) == ("on", False, None)


def test_retry_after_is_obeyed():
    with behaving(error(429, "Slow", **{"Retry-After": "1"}), then=says(answered())) as server:
        ask(channel(f"{server.url}/v1"), settings=serving(max_wait_s=30))
    first, second = server.asked
    assert second.at - first.at >= 1


def test_one_that_is_told_to_wait_makes_all_wait():
    """After the 429, nothing arrives for a second, though four others had only a short wait before them."""
    limited = error(429, "Slow", **{"Retry-After": "1"})
    with behaving(limited, *[error(500, "Oh")] * 4, then=says(answered())) as server:
        settings = serving(max_wait_s=30, attempts=3)

        async def run():
            async with Client(channel(f"{server.url}/v1"), endpoint(), settings) as client:
                first = asyncio.create_task(client.ask(QUESTION))
                async with asyncio.timeout(20):
                    while client.free_at <= time.monotonic():
                        await asyncio.sleep(0.01)
                return await asyncio.gather(first, *(client.ask(QUESTION) for _ in range(4)))

        completions = asyncio.run(run())
    assert [one.text for one in completions] == ["one"] * 5
    assert len(server.asked) == 10
    assert all(one.at - server.asked[0].at >= 1 for one in server.asked[1:])


def test_a_storm_is_survived_by_all():
    with behaving(*[error(429, "Slow")] * 40, then=says(answered())) as server:
        completions = together(f"{server.url}/v1", 20, serving(attempts=50))
    assert [one.text for one in completions] == ["one"] * 20
    assert sum(one.usage.requests for one in completions) == len(server.asked) == 60


def test_a_long_wait_is_said_once(capsys):
    limited = error(429, "Slow", **{"Retry-After": "3600"})
    with behaving(limited) as server:

        async def run():
            async with Client(channel(f"{server.url}/v1"), endpoint(), serving(max_wait_s=20)) as client:
                asking = [asyncio.create_task(client.ask(QUESTION)) for _ in range(3)]
                async with asyncio.timeout(20):
                    while len(server.asked) < 3 or client.free_at == 0:
                        await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                for one in asking:
                    one.cancel()
                await asyncio.gather(*asking, return_exceptions=True)

        asyncio.run(run())
    assert capsys.readouterr().err == (
        f"{server.url}/v1 answers 429: too many requests (Slow); lower serving.connections, or raise serving.attempts "
        "or serving.max_wait_s; waiting for 20 s\n"
    )


def test_ten_in_a_row_without_an_answer_end_the_run():
    with behaving(error(500, "Oh")) as server, pytest.raises(UserError) as caught:
        ask(channel(f"{server.url}/v1"), settings=serving(attempts=1), times=FAILURES_IN_A_ROW)
    assert len(server.asked) == FAILURES_IN_A_ROW
    assert str(caught.value) == (
        f"{server.url}/v1 answers 500: Oh; the server is at fault, try again later; so ended 10 requests in a row. "
        "What came is kept, run again later"
    )


def test_an_answer_between_starts_the_count_again(capsys):
    bad, good = error(500, "Oh"), says(answered())
    with behaving(*[bad] * 9, good, *[bad] * 9, then=good) as server:
        completions = ask(channel(f"{server.url}/v1"), settings=serving(attempts=1), times=20)
    assert [one.fault for one in completions].count("server_error") == 18
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_prompts_that_are_too_long_never_end_the_run():
    with behaving(error(400, "maximum context length is 5")) as server:
        completions = ask(channel(f"{server.url}/v1"), times=FAILURES_IN_A_ROW + 2)
    assert {one.fault for one in completions} == {"context_length"}


@pytest.mark.parametrize("charset", ["latin-1", "base64", "unicode_escape", "no-such"])
def test_json_is_utf8_whatever_the_header_says(charset):
    text = json.dumps(answered("\u00e9\u4e2d"), ensure_ascii=False).encode("utf-8-sig")
    kind = {"Content-Type": f"application/json; charset={charset}"}
    with behaving(lambda handler: handler.reply(200, text, **kind)) as server:
        (completion,) = ask(channel(f"{server.url}/v1"))
    assert completion.text == "\u00e9\u4e2d"


def test_no_redirect_is_followed_with_the_key():
    with behaving(says(answered())) as other:
        with behaving(says({}, 307, Location=f"{other.url}/v1/chat/completions")) as server, pytest.raises(UserError):
            ask(channel(f"{server.url}/v1"))
        assert not other.asked


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ({"data": [{"id": "b"}, {"id": "a"}]}, "it offers a, b"),
        ({"data": [{"id": f"m{i:02}"} for i in range(23)]}, "m19 and 3 more"),
        ({"data": []}, "it does not say which it offers"),
        ({"models": 3}, "it does not say which it offers"),
    ],
)
def test_without_a_model_the_offer_is_shown(listed, message):
    with behaving(says({})) as server, pytest.raises(UserError) as caught:
        server.script["/v1/models"].append(says(listed))
        ask(channel(f"{server.url}/v1", model=None))
    assert str(caught.value).startswith(f"{server.url}/v1 is to be asked, but no model is named; ")
    assert message in str(caught.value)
    assert str(caught.value).endswith("; set OPENAI_MODEL or rollout.endpoint.model")
    assert server.paths() == ["/v1/models"]


def test_without_a_model_a_wrong_key_is_still_the_first_fault():
    with behaving(says({})) as server, pytest.raises(UserError) as caught:
        server.script["/v1/models"].append(error(401, "No"))
        ask(channel(f"{server.url}/v1", model=None))
    assert "answers 401: it does not accept the key in OPENAI_API_KEY (No)" in str(caught.value)


def test_the_key_travels_in_its_header_alone():
    with behaving(says(answered())) as server:
        ask(channel(f"{server.url}/v1"))
    (asked,) = server.asked
    assert asked.headers["authorization"] == f"Bearer {CANARY}"
    assert CANARY not in asked.path + asked.body + str({**asked.headers, "authorization": ""})


@pytest.mark.parametrize("behaviour", [error(429, "Slow"), page("Too many requests", 429)])
def test_a_rate_limit_concerns_all_also_as_a_page(behaviour):
    async def run(server):
        async with Client(channel(f"{server.url}/v1"), endpoint(), serving(max_wait_s=0.5)) as client:
            await client.ask(QUESTION)
            return client.free_at

    with behaving(behaviour, then=says(answered())) as server:
        assert asyncio.run(run(server)) > 0
