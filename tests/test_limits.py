"""Values that no run could use are one line each, before anything starts."""

import pytest

from openswerl.config import Cell
from openswerl.errors import UserError

OPTIMISER = [
    ("lr", "0", "lr=0.0 is not a number above 0"),
    ("lr", "-1e-3", "lr=-0.001 is not a number above 0"),
    ("lr", "nan", "lr=nan is not a number above 0"),
    ("lr", "inf", "lr=inf is not a number above 0"),
    ("max_grad_norm", "0", "max_grad_norm=0.0 is not a number above 0"),
    ("max_grad_norm", "nan", "max_grad_norm=nan is not a number above 0"),
    ("betas", "[0.9]", "betas=[0.9] is not two numbers from 0 to below 1"),
    ("betas", "[0.9,1.0]", "betas=[0.9, 1.0] is not two numbers from 0 to below 1"),
    ("betas", "[nan,0.9]", "betas=[nan, 0.9] is not two numbers from 0 to below 1"),
    ("weight_decay", "-0.1", "weight_decay=-0.1 is not a number from 0"),
    ("weight_decay", "nan", "weight_decay=nan is not a number from 0"),
    ("final_lr", "1.5", "final_lr=1.5 is not from 0 to 1"),
    ("final_lr", "nan", "final_lr=nan is not from 0 to 1"),
    ("warmup_steps", "-1", "warmup_steps=-1 is not 0 or more"),
]
MODEL = [
    ("dtype=float16", "model.dtype=float16 is none of float32, bfloat16"),
    ("dtype=half", "model.dtype=half is none of float32, bfloat16"),
    ("max_prompt_tokens=0", "model.max_prompt_tokens=0 is not 1 or more"),
    ("max_response_tokens=0", "model.max_response_tokens=0 is not 1 or more"),
    ("lora.rank=-1", "model.lora.rank=-1 is not 0 or more"),
    ("lora.alpha=-2", "model.lora.alpha=-2.0 is not a number above 0"),
    ("lora.dropout=0.1", "model.lora.dropout=0.1 is not 0: with dropout the ratio is not of the sampling policy"),
]


def refusal(override):
    with pytest.raises(UserError) as caught:
        _ = Cell("grpo", (override,)).digest
    return str(caught.value)


@pytest.mark.parametrize("stage", ["sft", "grpo"])
@pytest.mark.parametrize(("key", "value", "message"), OPTIMISER)
def test_an_optimiser_that_cannot_learn(stage, key, value, message):
    assert refusal(f"{stage}.optimiser.{key}={value}") == f"config: {stage}.optimiser.{message}"


@pytest.mark.parametrize(("override", "message"), MODEL)
def test_a_model_that_cannot_be_trained(override, message):
    assert refusal(f"model.{override}") == f"config: {message}"


@pytest.mark.parametrize("key", ["network.token_variable", "rollout.endpoint.key_variable"])
@pytest.mark.parametrize("value", ["sk-canary-3f9a7b21c", "gsk_canary3f9a7b21c", "''"])
def test_a_key_in_place_of_the_name_of_its_variable_is_not_repeated(key, value):
    assert refusal(f"{key}={value}") == (
        f"config: {key} is not the name of an environment variable, in capitals, such as OPENAI_API_KEY"
    )
