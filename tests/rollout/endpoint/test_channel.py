"""Addresses and keys: what is taken, and what is refused before anything is sent."""

import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misbehaving import endpoint
from openswerl.errors import UserError
from openswerl.rollout.endpoint.channel import HIDDEN, NO_KEY, Channel

HOST = "https://api.example.org/v1"
KEY = "sk-right"


def of(environ, **changes):
    return Channel.of(endpoint(**{"base_url": HOST} | changes), environ)


@pytest.mark.parametrize("slashes", ["", "/", "//", "/ \n"])
def test_slashes_and_spaces_at_the_end_of_an_address_do_not_matter(slashes):
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": HOST + slashes, "OPENAI_MODEL": " m\n"}
    assert Channel.of(endpoint(), environ) == Channel(HOST, KEY, "m")


def test_the_config_goes_before_the_environment_and_names_other_variables():
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://elsewhere", "OPENAI_MODEL": "m", "SECOND": "sk-2"}
    found = Channel.of(endpoint(base_url=HOST, model="n", key_variable="SECOND"), environ)
    assert (found.base_url, found.key, found.model, found.key_variable) == (HOST, "sk-2", "n", "SECOND")
    assert Channel.of(endpoint(base_url=HOST), {"OPENAI_API_KEY": KEY}).model is None


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "is not set"),
        ({"OPENAI_API_KEY": ""}, "is empty"),
        ({"OPENAI_API_KEY": " \n"}, "is empty"),
    ],
)
def test_a_missing_key(environ, message):
    with pytest.raises(UserError) as caught:
        of(environ)
    assert str(caught.value) == (
        f"no API key for {HOST}: the environment variable OPENAI_API_KEY {message}; export it, or name another in "
        "rollout.endpoint.key_variable"
    )


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("sk-canary\n", "holds a line break"),
        ("sk-can\r\nary", "holds a line break"),
        (" sk-canary", "has spaces around it"),
        ("sk-canary\t", "has spaces around it"),
        ("sk can ary", "has spaces within it"),
        ("sk-canar\u0443", "holds characters that no key has"),
        ("sk-canary\x00", "holds characters that no key has"),
        ('"sk-canary"', "has quotation marks around it"),
    ],
)
def test_a_key_that_no_header_carries_is_refused_and_not_shown(key, fault):
    with pytest.raises(UserError) as caught:
        of({"OPENAI_API_KEY": key})
    assert str(caught.value) == f"the API key in OPENAI_API_KEY {fault}: set it again without"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_server_on_this_machine_needs_no_key(host):
    assert Channel.of(endpoint(base_url=f"http://{host}:8000/v1"), {}).key == NO_KEY


def test_no_address():
    with pytest.raises(UserError) as caught:
        Channel.of(endpoint(), {"OPENAI_API_KEY": KEY})
    assert str(caught.value) == (
        "rollout=openai has no address: set OPENAI_BASE_URL (it usually ends in /v1), or rollout.endpoint.base_url"
    )


@pytest.mark.parametrize("address", ["api.example.org/v1", "ftp://a/v1", "https://", "http://a:x/v1", "http://[a/v1"])
def test_what_is_no_address(address):
    with pytest.raises(UserError) as caught:
        Channel.of(endpoint(), {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": address})
    assert str(caught.value) == "OPENAI_BASE_URL is not an address like https://host/v1"


def test_an_address_with_a_password_is_refused_and_not_shown():
    with pytest.raises(UserError) as caught:
        of({}, base_url="https://me:secret@host/v1")
    assert str(caught.value) == (
        "rollout.endpoint.base_url holds a user name or a password, which would be written to logs: put the key into "
        "OPENAI_API_KEY"
    )


@pytest.mark.parametrize("more", ["/chat/completions", "/completions/", "/models", "?api-version=1&api-key=s"])
def test_the_address_of_one_request(more):
    with pytest.raises(UserError) as caught:
        Channel.of(endpoint(), {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": HOST + more})
    shown = (HOST + more).rstrip("/").split("?")[0]
    assert str(caught.value) == (
        f"OPENAI_BASE_URL is {shown}, the address of one request: give what comes before its path, such as "
        "https://host/v1"
    )


def test_the_key_is_not_shown_and_cut_out_of_texts():
    channel = Channel(HOST, KEY, "m")
    assert KEY not in repr(channel) and KEY not in f"{channel}"
    assert channel.scrub(f"bad key {KEY}, {KEY}") == f"bad key {HIDDEN}, {HIDDEN}"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=40))
def test_an_escaped_key_is_cut_out_too(key):
    """In an address, on a page, in JSON, and in a debug file, which is JSON that holds JSON."""
    once = json.dumps({"key": key})
    texts = [quote(key), quote(key, safe=""), html.escape(key), once, json.dumps(once)]
    slashes = key.replace("/", "\\/")
    for text in [*texts, slashes, json.dumps(slashes)]:
        assert HIDDEN in Channel(HOST, key, "m").scrub(text)
    assert Channel(HOST, key, "m").scrub(json.dumps(once)) == json.dumps(json.dumps({"key": HIDDEN}))


@pytest.mark.parametrize("word", [NO_KEY, "EMPTY", "ollama", "x"])
def test_a_word_that_is_no_secret_stays_in_answers(word):
    assert Channel(HOST, word, "m").scrub(f"if {word}: pass") == f"if {word}: pass"
