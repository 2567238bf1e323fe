"""The body that is sent, after the protocol."""

import pytest

from misbehaving import channel, endpoint
from openswerl.rollout.endpoint.requests import Question, body

MESSAGES = [{"role": "user", "content": "Say one."}]
HOST = channel("https://host/v1")


def question(prompt, stop=None):
    return Question(prompt, temperature=0.5, max_tokens=8, seed=7, stop=stop)


@pytest.mark.parametrize(
    ("prompt", "path", "name"),
    [
        (MESSAGES, "/chat/completions", "messages"),
        ("Say one.", "/completions", "prompt"),
        ([1, 2, 3], "/completions", "prompt"),
        ([], "/completions", "prompt"),
    ],
)
def test_each_form_of_prompt_has_its_path(prompt, path, name):
    whole = {"model": "tiny", name: prompt, "max_tokens": 8, "temperature": 0.5, "top_p": 1.0, "seed": 7}
    assert body(question(prompt), HOST, endpoint()) == (path, whole)


def test_fields_that_not_every_model_takes():
    _, sent = body(question(MESSAGES), HOST, endpoint(limit_key="max_completion_tokens", send_seed=False))
    assert "seed" not in sent and "max_tokens" not in sent and sent["max_completion_tokens"] == 8


def test_token_ids_and_log_probabilities_are_asked_for():
    _, chat = body(question(MESSAGES), HOST, endpoint(token_ids=True))
    assert (chat["return_token_ids"], chat["logprobs"], chat["top_logprobs"]) == (True, True, 0)
    _, plain = body(question([1, 2], stop="</a>"), HOST, endpoint(token_ids=True))
    assert (plain["return_token_ids"], plain["logprobs"]) == (True, 0)
    assert (plain["stop"], plain["include_stop_str_in_output"]) == (["</a>"], True)


def test_without_token_ids_the_closing_tag_is_not_sent():
    assert "stop" not in body(question("a", stop="</a>"), HOST, endpoint())[1]


def test_extra_fields_have_the_last_word():
    _, sent = body(question("a"), HOST, endpoint(extra={"top_p": 0.9, "provider": {"order": ["x"]}}))
    assert (sent["top_p"], sent["provider"]) == (0.9, {"order": ["x"]})
