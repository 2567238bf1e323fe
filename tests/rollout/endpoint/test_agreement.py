"""Tokenizer and chat template over the wire, against servers of the laptop's model with and without a template."""

import json
import shutil

import pytest
from transformers import AutoTokenizer

from echo_server import settings
from openai_server import served
from openswerl.config import load
from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED, token_ids
from openswerl.rollout import open_sampler
from openswerl.rollout.agreement import PROBES
from openswerl.rollout.endpoint.agreement import Compared, check_endpoint
from openswerl.rollout.openai import OpenAiSampler
from servers import running, status

TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(PACKAGED)


@pytest.fixture(scope="module")
def chatting(tmp_path_factory):
    """A server of the same model, whose tokenizer has a chat template."""
    folder = tmp_path_factory.mktemp("base") / "chat"
    shutil.copytree(PACKAGED, folder)
    chat = AutoTokenizer.from_pretrained(folder)
    chat.chat_template = TEMPLATE
    chat.save_pretrained(folder)
    with served(folder) as server:
        yield server, chat


def compare(overrides, tokenizer, folder):
    cfg = load(*overrides, f"serving.folder={folder}")
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, "")
    try:
        return check_endpoint(sampler, tokenizer)
    finally:
        sampler.close()


@pytest.mark.parametrize("record", ["false", "true"])
@pytest.mark.parametrize(("ids", "by"), [("true", "ids"), ("false", "counts")])
def test_the_same_tokenizer_agrees(server, tokenizer, tmp_path, ids, by, record):
    overrides = [*server.overrides(token_ids=ids), f"serving.record={record}"]
    assert compare(overrides, tokenizer, tmp_path) == Compared(len(PROBES), "text", by)


def test_a_policy_is_checked_by_the_ids_of_its_path(server, tokenizer, tmp_path):
    cfg = load(*server.overrides(), f"serving.folder={tmp_path}", "model.prompt=chat")
    sampler = OpenAiSampler.for_policy(cfg.model, cfg.rollout, cfg.serving, tokenizer)
    assert check_endpoint(sampler, tokenizer) == Compared(len(PROBES), "text", "ids")
    sampler.close()


@pytest.fixture
def shifted(tokenizer, tmp_path):
    """The same vocabulary size with two tokens exchanged: every count is the same, and the ids are not."""
    folder = tmp_path / "shifted"
    shutil.copytree(PACKAGED, folder)
    data = json.loads((folder / "tokenizer.json").read_text())
    vocab = data["model"]["vocab"]
    first, second = tokenizer.convert_ids_to_tokens(token_ids(tokenizer, PROBES[0])[:2])
    vocab[first], vocab[second] = vocab[second], vocab[first]
    (folder / "tokenizer.json").write_text(json.dumps(data))
    return AutoTokenizer.from_pretrained(folder)


def test_other_ids_are_one_line_that_says_where_they_part(server, shifted, tmp_path):
    with pytest.raises(UserError) as error:
        compare(server.overrides(token_ids="true"), shifted, tmp_path)
    assert str(error.value).startswith(
        f'{server.base_url} reads "def f(a):\\n    return a + 1  # ok\\n" as other tokens than the policy\'s '
        "tokenizer: they part at token 0, "
    )
    assert "\n" not in str(error.value)
    assert compare(server.overrides(), shifted, tmp_path).by == "counts", "counts alone do not show it"


def test_the_chat_template_of_the_server_is_compared_too(chatting, tmp_path):
    server, chat = chatting
    overrides = [*server.overrides(token_ids="true"), "model.prompt=chat"]
    assert compare(overrides, chat, tmp_path) == Compared(len(PROBES), "chat", "ids")
    other = AutoTokenizer.from_pretrained(chat.name_or_path)
    other.chat_template = TEMPLATE.replace("[a]", "[b]")
    with pytest.raises(UserError, match=r"they part at token \d+, .*; let the server load the checkpoint"):
        compare(overrides, other, tmp_path)


def reply(tokens):
    """An endpoint that names no ids, and counts so many tokens."""
    usage = {"usage": {"prompt_tokens": tokens}} if tokens else {}
    choices = [{"index": 0, "text": "x", "finish_reason": "length"}]
    return status(200, json.dumps({"model": "m", "choices": choices, **usage}).encode())


def test_another_count_is_one_line(tokenizer, tmp_path):
    ours = len(token_ids(tokenizer, PROBES[0]))
    with running(lambda handler, body: reply(ours + 3)(handler)) as server, pytest.raises(UserError) as error:
        compare(settings(server.url, tmp_path), tokenizer, tmp_path)
    assert str(error.value) == (
        f'{server.url}/v1 counts {ours + 3} tokens in "def f(a):\\n    return a + 1  # ok\\n", the policy\'s tokenizer '
        f"{ours}; let the server load the checkpoint of the policy, chat template included, or set model.path to the "
        "server's"
    )


def test_where_nothing_is_told_nothing_is_claimed(tokenizer, tmp_path):
    with running(lambda handler, body: reply(0)(handler)) as server:
        found = compare(settings(server.url, tmp_path), tokenizer, tmp_path)
    assert found.by == "nothing" and str(found).endswith("so nothing was compared")
