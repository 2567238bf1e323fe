"""Layouts that cannot run are refused by name, and what is suggested instead can."""

import shlex
from dataclasses import replace

import pytest

from openswerl.compose import load
from openswerl.errors import UserError
from openswerl.plan.faults import faults_of
from openswerl.plan.layout import GIB, Layout
from openswerl.plan.run import plan, refuse
from openswerl.plan.shapes import shape_of

TAKEN = 4 * GIB
CFG = load("scale=node8")
SHAPE = shape_of(CFG.model)


@pytest.fixture(scope="module")
def grpo():
    return Layout.of(CFG, "grpo")


def components(layout):
    return [fault.component for fault in faults_of(layout, SHAPE, TAKEN)]


@pytest.mark.parametrize("scale", ["laptop", "smoke", "smollm2", "node8", "paper"])
def test_every_scale_fits(scale):
    assert not any(plan(load(f"scale={scale}")).faults.values())


def test_node8_fits_with_adapters_too():
    assert not any(plan(load("scale=node8", "model.lora.rank=16")).faults.values())


@pytest.mark.parametrize(
    ("changes", "component"),
    [
        ({"processes": 9}, "processes"),
        ({"team": 3}, "processes"),
        ({"zero": 0}, "optimiser"),
        ({"zero": 1, "offload": True}, "optimiser"),
        ({"tensor_parallel": 2}, "engine"),
        ({"tensor_parallel": 3}, "engine"),
        ({"sampler": "server"}, "engine"),
        ({"sampler": "server", "devices": ("7",)}, "engine"),
        ({"sampler": "server", "devices": ("8",), "processes": 7}, "engine"),
        ({"engine_share": 0.2}, "KV cache"),
        ({"zero": 2, "processes": 1}, "optimiser"),
        ({"checkpointing": False}, "activations"),
        ({"engine_share": 0.9}, "engine"),
        ({"host_memory": 200 * GIB}, "checkpoints at the start"),
    ],
)
def test_what_breaks_is_named(grpo, changes, component):
    assert components(replace(grpo, **changes)) == [component]


def test_a_server_on_gpus_of_its_own_fits(grpo):
    assert components(replace(grpo, sampler="server", devices=("7",), processes=7, engine_share=0.9)) == []


def test_rows_must_be_shared_evenly():
    sft = Layout.of(CFG, "sft")
    assert components(replace(sft, processes=7)) == ["rows"]
    assert components(replace(sft, prompts=2)) == ["rows"] and components(replace(sft, team=4, prompts=2)) == []


@pytest.mark.parametrize(
    "overrides",
    [
        ("scale=node8", "model=llama70b"),
        ("scale=node8", "model=llama70b", "rollout=local"),
        ("scale=node8", "processes=1", "sft.optimiser.gradient_checkpointing=false"),
        ("scale=node8", "grpo.optimiser.zero_stage=0", "grpo.optimiser.gradient_checkpointing=false"),
        ("scale=node8", "rollout.engine.gpu_memory=0.9"),
        ("scale=paper", "processes=8", "rollout=vllm"),
        ("scale=laptop", "plan.device.memory_gib=0.7"),
    ],
)
def test_what_is_suggested_passes(overrides):
    cfg = load(*overrides)
    with pytest.raises(UserError, match="the nearest that fits: ") as refused:
        refuse(plan(cfg), cfg.plan.device.taken_gib * GIB)
    _, _, advice = str(refused.value).rpartition("the nearest that fits: ")
    assert not any(plan(load(*overrides, *shlex.split(advice))).faults.values()), advice


def test_nothing_may_help():
    cfg = load("plan.device.memory_gib=0.4")
    with pytest.raises(UserError, match="nothing that conf/ has makes it fit"):
        refuse(plan(cfg), cfg.plan.device.taken_gib * GIB)
