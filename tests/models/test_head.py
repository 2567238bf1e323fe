"""Scales and caps of logits: those of the model's own forward pass, or a refusal."""

import pytest
import torch

from models.families import FAMILIES, model_of
from openswerl.errors import UserError
from openswerl.models.head import check_head, logits_of

IDS = torch.tensor([[5, 9, 7, 3]])


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_the_models_own(family):
    policy = model_of(family).eval()
    check_head(policy)
    hidden = policy.base_model(IDS).last_hidden_state
    torch.testing.assert_close(logits_of(policy, hidden), policy(IDS).logits, rtol=0, atol=0)


@pytest.mark.parametrize("family", ["granite", "cohere", "gemma3_text"])
def test_these_families_do_more_than_their_head(family):
    policy = model_of(family).eval()
    plain = policy.lm_head(policy.base_model(IDS).last_hidden_state)
    assert (plain - policy(IDS).logits).abs().max() > 0.1


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("hyperclovax", {"logits_scaling": 3.0}),
        ("falcon_h1", {"lm_head_multiplier": 0.3, "num_key_value_heads": 2}),
        ("opt", {"word_embed_proj_dim": 32}),
    ],
)
def test_what_is_not_known_is_one_line(family, settings):
    """Multiplied where Granite divides; a factor of another name; a base model that the forward pass goes around."""
    with pytest.raises(UserError, match=r"^\w+ makes logits of hidden states in a way that is not known.*$"):
        check_head(model_of(family, **settings).eval())


def test_a_model_without_a_head_is_one_line():
    with pytest.raises(UserError, match=r"^LlamaModel has no lm_head"):
        check_head(model_of("llama").base_model)
