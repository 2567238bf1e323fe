"""Tokenizers that are not the same are named in one line, by what differs."""

import json
from types import SimpleNamespace

import pytest
from omegaconf import OmegaConf
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from models.families import model_of
from models.words import tokenizer
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
        (lambda: changed(swap), "1404 and 1404 tokens, 2 of them unlike, such as 'a'"),
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
    with pytest.raises(UserError, match="a token number 1403 and the model 60 entries"):
        check_policy(tiny_policy, ours, model)
    small = SimpleNamespace(get_vocab=lambda: {"a": 59}, eos_token_id=1)
    check_policy(tiny_policy, small, model)
    model.max_response_tokens = 65
    with pytest.raises(UserError, match="= 129 tokens, more than the model's context of 128"):
        check_policy(tiny_policy, small, model)


LENGTHS = OmegaConf.create({"max_prompt_tokens": 30, "max_response_tokens": 3})


def test_a_tokenizer_without_an_end_is_refused(tiny_policy):
    words = tokenizer()
    words.eos_token = None
    with pytest.raises(UserError, match=r"^the tokenizer has no end-of-sequence token.*$"):
        check_policy(tiny_policy, words, LENGTHS)


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("mistral", {"num_key_value_heads": 2}),
        ("gemma3_text", {}),
        ("qwen2", {"num_key_value_heads": 1, "use_sliding_window": True, "max_window_layers": 1}),
    ],
)
def test_a_window_shorter_than_a_sample_is_refused(family, settings):
    check_policy(model_of(family, **settings, sliding_window=33), tokenizer(), LENGTHS)
    with pytest.raises(UserError, match="= 33 tokens, more than the model's attention window of 32, which the sampler"):
        check_policy(model_of(family, **settings, sliding_window=32), tokenizer(), LENGTHS)


def test_a_window_that_no_layer_has_does_not_count():
    policy = model_of("qwen2", num_key_value_heads=1, use_sliding_window=True, max_window_layers=2, sliding_window=8)
    check_policy(policy, tokenizer(), LENGTHS)


@pytest.mark.parametrize(
    ("family", "settings", "why"),
    [("stablelm", {"num_key_value_heads": 4}, "not exchangeable"), ("qwen3_next", {}, "linear_attention")],
)
def test_layers_that_the_sampler_cannot_share_a_prompt_with_are_refused(family, settings, why):
    with pytest.raises(UserError, match=f"can be neither sampled nor trained here .*{why}"):
        check_policy(model_of(family, **settings), tokenizer(), LENGTHS)
