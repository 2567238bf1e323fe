"""Answers of both paths, in one piece and in many."""

import json
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misbehaving import CANARY, channel
from openswerl.rollout.endpoint.bodies import Reply
from openswerl.rollout.endpoint.problems import Faulty
from openswerl.rollout.endpoint.replies import completion_of, prompt_read
from openswerl.rollout.samples import Completion

HOST = channel("https://host/v1")


def read(document, stop=None):
    return completion_of(Reply(200, {}, json.dumps(document)), HOST, stop)


def streamed(*pieces, newline="\n"):
    lines = [f"data: {json.dumps(one)}{newline}{newline}" for one in pieces]
    text = f": a comment{newline}{newline}" + "".join(lines) + "data: [DONE]" + newline * 2
    return completion_of(Reply(200, {"content-type": "text/event-stream; charset=utf-8"}, text), HOST, None)


def choice(text, reason="stop", **more):
    return {"choices": [{"index": 0, "text": text, "finish_reason": reason, **more}]}


def test_token_ids_and_log_probabilities_of_the_plain_path():
    found = read(choice("ab", token_ids=[4, 5], logprobs={"tokens": ["a", "b"], "token_logprobs": [-0.5, -1.5]}))
    assert (found.token_ids, found.logprobs) == ([4, 5], [-0.5, -1.5])


def test_token_ids_and_log_probabilities_of_the_chat_path():
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}
    message = {"role": "assistant", "content": "ab"}
    found = read(
        {"choices": [{"message": message, "finish_reason": "stop", "token_ids": [4, 5], "logprobs": logprobs}]}
    )
    assert (found.text, found.token_ids, found.logprobs) == ("ab", [4, 5], [-0.5, -1.5])


def test_an_answer_without_counts_or_text():
    found = read({"choices": [{"message": {"role": "assistant", "content": None}, "finish_reason": "length"}]})
    assert (found.text, found.finished, found.logprobs, found.model) == ("", False, None, None)
    assert (found.usage.prompt, found.usage.completion) == (0, 0)


@pytest.mark.parametrize(("reason", "finished"), [("stop", True), ("eos", True), ("length", False)])
def test_finish_reasons(reason, finished):
    assert read(choice("a", reason)).finished is finished


def test_an_answer_is_cut_after_the_closing_tag_and_its_log_probabilities_go():
    found = read(choice("a</s>b</s>", "length", logprobs={"token_logprobs": [-1.0] * 4}), stop="</s>")
    assert (found.text, found.finished, found.logprobs) == ("a</s>", True, None)


def test_with_token_ids_the_server_has_cut_already():
    assert read(choice("a</s>", token_ids=[1, 2]), stop="</s>").token_ids == [1, 2]


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_a_stream_says_what_its_pieces_say(texts, newline):
    *first, last = texts
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": len(texts)}}
    found = streamed(*(choice(text, None) for text in first), choice(last), usage, newline=newline)
    assert (found.text, found.finished, found.usage.completion) == ("".join(texts), True, len(texts))


def test_a_stream_carries_ids_and_log_probabilities_too():
    pieces = (choice("a", None, token_ids=[4], logprobs={"token_logprobs": [-0.5]}),)
    found = streamed(*pieces, choice("b", token_ids=[5], logprobs={"token_logprobs": [-1.5]}))
    assert (found.token_ids, found.logprobs) == ([4, 5], [-0.5, -1.5])


def test_what_the_prompt_was_read_as():
    ids = {"choices": [{"text": "a", "prompt_token_ids": [1, 2]}], "usage": {"prompt_tokens": 2}}
    assert prompt_read(Reply(200, {}, json.dumps(ids)), HOST) == ([1, 2], 2)
    assert prompt_read(Reply(200, {}, json.dumps({"choices": [{"text": "a"}]})), HOST) == ([], 0)


@pytest.mark.parametrize(
    "more",
    [
        {"token_ids": ["4"]},
        {"token_ids": [True]},
        {"token_ids": {"4": 5}},
        {"token_ids": [4, 5], "logprobs": {"token_logprobs": [-0.5]}},
        {"token_ids": [4], "logprobs": {"token_logprobs": ["nan"]}},
        {"message": {"content": ["a"]}},
    ],
)
def test_what_is_not_of_the_protocol_is_no_answer(more):
    with pytest.raises(Faulty) as caught:
        read(choice("a", **more))
    assert caught.value.problem.message.startswith(
        f"{HOST.base_url}: the answer has another form than the protocol's ("
    )


WORDS = st.sampled_from(["stop", "length", "invalid_grant", "9" * 5000, CANARY])
NAMES = st.sampled_from(
    "choices message content delta text finish_reason usage prompt_tokens completion_tokens logprobs token_logprobs "
    "logprob token_ids prompt_token_ids error code type param detail model".split()
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | WORDS
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
CHOICES = st.fixed_dictionaries(
    {"text": st.text(max_size=3) | ANYTHING, "finish_reason": st.just("stop")},
    optional={"token_ids": ANYTHING, "logprobs": ANYTHING, "message": ANYTHING, "prompt_token_ids": ANYTHING},
)
NEARLY = st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, min_size=1, max_size=1)}, optional={"usage": ANYTHING, "model": ANYTHING}
)
TEXTS = (ANYTHING | NEARLY).map(json.dumps) | st.text() | st.binary().map(lambda data: data.decode(errors="replace"))


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/html"])
@given(status=st.sampled_from([200, 304, 400, 401, 404, 429, 500]), text=TEXTS, prefix=st.sampled_from(["", "data: "]))
def test_whatever_comes_is_an_answer_or_a_fault(kind, status, text, prefix):
    """An answer survives the cache; a fault is one line; neither holds the key."""
    reply = Reply(status, {"content-type": kind, "retry-after": text}, prefix + text)
    for reading in (partial(completion_of, stop="</s>"), prompt_read):
        try:
            found = reading(reply, HOST)
        except Faulty as faulty:
            said = faulty.problem.message
            assert said and "\n" not in said and CANARY not in said
            continue
        assert status == 200 and CANARY not in repr(found)
        if isinstance(found, Completion):
            assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(found))), Completion) == found
