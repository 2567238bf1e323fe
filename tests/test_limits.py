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


def refusal(*overrides):
    with pytest.raises(UserError) as caught:
        _ = Cell("grpo", overrides).digest
    return str(caught.value)


@pytest.mark.parametrize("stage", ["sft", "grpo"])
@pytest.mark.parametrize(("key", "value", "message"), OPTIMISER)
def test_an_optimiser_that_cannot_learn(stage, key, value, message):
    assert refusal(f"{stage}.optimiser.{key}={value}") == f"config: {stage}.optimiser.{message}"


@pytest.mark.parametrize(("override", "message"), MODEL)
def test_a_model_that_cannot_be_trained(override, message):
    assert refusal(f"model.{override}") == f"config: {message}"


@pytest.mark.parametrize("stage", ["sft", "grpo"])
@pytest.mark.parametrize(
    ("size", "others", "message"),
    [
        (0, (), "=0 is not 1 or more"),
        (3, ("processes=8",), "=3 does not divide processes=8"),
        (8, ("processes=6",), "=8 does not divide processes=6"),
        (8, ("processes=1",), "=8 does not divide processes x nodes = 1"),
        (8, ("processes=4", "nodes=3"), "=8 does not divide processes x nodes = 12"),
        (
            2,
            ("processes=2", "model.forward=padded"),
            "=2 splits packed rows, and model.forward is padded; set one to 1 or the other to packed",
        ),
    ],
)
def test_rows_that_cannot_be_split(stage, size, others, message):
    key = f"{stage}.optimiser.sequence_parallel"
    assert refusal(f"{key}={size}", *others) == f"config: {key}{message}"


@pytest.mark.parametrize(("size", "processes", "nodes"), [(2, 8, 1), (8, 8, 1), (16, 8, 2)])
def test_rows_may_be_split_within_a_machine_or_over_whole_ones(size, processes, nodes):
    cell = Cell("grpo", (f"grpo.optimiser.sequence_parallel={size}", f"processes={processes}", f"nodes={nodes}"))
    assert cell.digest and cell.cfg.grpo.optimiser.sequence_parallel == size


def test_no_processes_are_one_line_too():
    assert refusal("processes=0") == "config: processes=0 is not 1 or more"


@pytest.mark.parametrize("key", ["network.token_variable", "rollout.endpoint.key_variable"])
@pytest.mark.parametrize("value", ["sk-canary-3f9a7b21c", "gsk_canary3f9a7b21c", "''"])
def test_a_key_in_place_of_the_name_of_its_variable_is_not_repeated(key, value):
    assert refusal(f"{key}={value}") == (
        f"config: {key} is not the name of an environment variable, in capitals, such as OPENAI_API_KEY"
    )
