"""Loading a policy: what is read, and what is refused in one line."""

import shutil

import pytest
import torch
from omegaconf import OmegaConf

from models.families import model_of
from models.words import tokenizer
from openswerl.errors import UserError
from openswerl.models.checkpoint import encode, load_policy, load_trainable, prompt_fits
from openswerl.models.export import export_policy

LORA = {"rank": 0, "alpha": 8, "targets": ["q_proj"], "dropout": 0.0}


def settings(path=None, **changes):
    return OmegaConf.create({"path": path and str(path), "revision": None, "dtype": "float32", "lora": LORA, **changes})


@pytest.fixture
def folder(tmp_path):
    export_policy(model_of("llama"), tmp_path / "policy", tokenizer(), "")
    return tmp_path / "policy"


def test_the_weights_come_in_the_type_that_is_asked_for(folder):
    policy, _ = load_policy(settings(dtype="bfloat16"), folder)
    assert policy.dtype == torch.bfloat16
    expected = model_of("llama").to(torch.bfloat16)
    assert all(map(torch.equal, policy.parameters(), expected.parameters()))


def test_adapters_are_added_where_the_rank_asks_for_them(folder):
    for rank, trained in ((0, False), (2, True)):
        policy, _ = load_trainable(settings(folder, lora={**LORA, "rank": rank}))
        assert any(".lora_" in name for name, _ in policy.named_parameters()) == trained


def empty(folder):
    shutil.rmtree(folder)


def truncate(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def garble(folder):
    (folder / "config.json").write_text('{"model_type": "llama",')


def unknown(folder):
    (folder / "config.json").write_text('{"model_type": "no-such-model"}')


def no_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{")


def pickled(folder):
    """A pickle may run code when it is read."""
    (folder / "model.safetensors").unlink()
    torch.save(model_of("llama").state_dict(), folder / "pytorch_model.bin")


@pytest.mark.parametrize("harm", [empty, truncate, garble, unknown, no_tokenizer, pickled])
def test_a_checkpoint_that_cannot_be_read_is_one_line(folder, harm):
    harm(folder)
    with pytest.raises(UserError) as caught:
        load_policy(settings(), folder)
    message = str(caught.value)
    assert message.startswith(f"cannot load the model at {folder}: ") and message.endswith("; check model.path")
    assert "\n" not in message


def test_a_model_whose_logits_are_made_in_an_unknown_way_is_one_line(tmp_path):
    export_policy(model_of("hyperclovax", logits_scaling=3.0), tmp_path / "policy", tokenizer(), "")
    with pytest.raises(UserError, match=r"^HyperCLOVAXForCausalLM makes logits .*$"):
        load_policy(settings(), tmp_path / "policy")


MESSAGES = [{"role": "system", "content": "w5"}, {"role": "user", "content": "w6 w7"}]
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"


@pytest.mark.parametrize("ask", [encode, prompt_fits])
@pytest.mark.parametrize(
    ("template", "message"),
    [
        (None, r"^the tokenizer has no chat template: set model\.prompt=compact, or choose another model\.path$"),
        (NO_SYSTEM, r"^the tokenizer's chat template refuses the prompt \(System role not supported\): set model.*$"),
    ],
)
def test_messages_that_find_no_template_are_one_line(ask, template, message):
    words = tokenizer()
    words.chat_template = template
    with pytest.raises(UserError, match=message):
        ask(words, MESSAGES, 100)


def test_messages_are_encoded_by_the_template():
    words = tokenizer()
    words.chat_template = "{% for m in messages %}{{ m.content }} {% endfor %}{{ 'w9' if add_generation_prompt }}"
    assert encode(words, MESSAGES, 4) == [5, 6, 7, 9]
    assert prompt_fits(words, MESSAGES, 4) and not prompt_fits(words, MESSAGES, 3)
    with pytest.raises(UserError, match=r"a prompt has 4 tokens, more than model\.max_prompt_tokens=3"):
        encode(words, MESSAGES, 3)
