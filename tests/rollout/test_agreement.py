"""Tokenizers that are not the same are named in one line, by what differs."""

import json
from types import SimpleNamespace

import pytest
from omegaconf import OmegaConf
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED
from openswerl.rollout.agreement import check_agreement, check_policy


@pytest.fixture(scope="module")
def ours():
    return AutoTokenizer.from_pretrained(PACKAGED)


def changed(change, **special):
    """The laptop's tokenizer with a changed tokenizer.json or other special tokens."""
    data = json.loads((PACKAGED / "tokenizer.json").read_text())
    change(data)
    names = {"eos_token": "<eos>", "pad_token": "<pad>"} | special
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(data)), **names)


def swap(data):
    vocab = data["model"]["vocab"]
    vocab["a"], vocab["b"] = vocab["b"], vocab["a"]


def last_merge_gone(data):
    data["model"]["merges"].pop()


def no_decoder(data):
    data["decoder"] = None


def nothing(data):
    pass


def test_the_same_tokenizer_agrees(ours):
    check_agreement(ours, changed(nothing))


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (lambda: changed(swap), "1104 and 1104 tokens, 2 of them unlike, such as 'a'"),
        (lambda: changed(nothing, eos_token="<pad>"), "eos_token_id is 1 and 0"),
        (lambda: changed(nothing, bos_token="<eos>"), "bos_token_id is None and 1"),
        (lambda: changed(nothing, chat_template="{{ messages }}"), "chat templates"),
        (lambda: changed(no_decoder), "as other text"),
        (lambda: changed(lambda data: data["model"]["merges"].clear()), "into other tokens"),
    ],
)
def test_what_differs_is_named_in_one_line(ours, theirs, message):
    with pytest.raises(UserError, match=message) as caught:
        check_agreement(ours, theirs())
    assert "\n" not in str(caught.value)


def test_a_model_with_fewer_entries_than_tokens_is_refused(ours, tiny_policy):
    model = OmegaConf.create({"max_prompt_tokens": 64, "max_response_tokens": 64})
    with pytest.raises(UserError, match="a token number 1103 and the model 60 entries"):
        check_policy(tiny_policy, ours, model)
    small = SimpleNamespace(get_vocab=lambda: {"a": 59})
    check_policy(tiny_policy, small, model)
    model.max_response_tokens = 65
    with pytest.raises(UserError, match="= 129 tokens, more than the model's context of 128"):
        check_policy(tiny_policy, small, model)
