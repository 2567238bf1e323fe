from dataclasses import fields

import pytest

from openswerl.cluster.resources import launcher, resources
from openswerl.compose import load
from openswerl.schema import Config
from openswerl.schema.resources import Resources
from openswerl.stages import STAGES

SEVERAL = {"mpi": "srun", "nodes": 3, "tasks": 3, "tasks_per_gpu": 0}


def test_every_stage_has_its_needs():
    assert [field.name for field in fields(Resources)] == list(STAGES)
    assert "resources" in {field.name for field in fields(Config)}


def test_a_later_try_asks_for_more_memory_and_time():
    asked = resources(load("resources.grpo.mem_mb=100", "resources.grpo.runtime=7"), "grpo")
    amounts = [(asked["mem_mb"]({}, attempt=n), asked["runtime"]({}, attempt=n)) for n in (1, 2, 3)]
    assert amounts == [(100, 7), (200, 14), (300, 21)]


@pytest.mark.parametrize(
    ("scale", "stage", "gpu"),
    [
        ("laptop", "grpo", 0),
        ("node8", "grpo", 8),
        ("node8", "evaluate", 1),
        ("paper", "sft", 512),
        ("paper", "crawl", 0),
        ("paper", "relate", 0),
        ("paper relate=llm relate.llm.rollout.engine.tensor_parallel=4", "relate", 4),
    ],
)
def test_gpus_follow_the_scale(scale, stage, gpu):
    assert resources(load(*f"scale={scale}".split()), stage).get("gpu", 0) == gpu


def test_training_alone_is_spread_over_nodes():
    cfg = load("nodes=3", "resources.grpo.gpu=2")
    assert {key: resources(cfg, "grpo").get(key) for key in SEVERAL} == SEVERAL
    assert resources(cfg, "grpo")["gpu"] == 6
    assert not SEVERAL.keys() & resources(cfg, "evaluate").keys()


def test_what_starts_training():
    assert launcher(load()) == ["python"]
    assert launcher(load("processes=2")) == "python -m openswerl.launch 2".split()
    srun = "srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --kill-on-bad-exit=1"
    assert launcher(load("nodes=2")) == f"{srun} python -m openswerl.launch 1".split()


def test_no_try_asks_for_more_memory_than_a_machine_has():
    asked = resources(load("resources.grpo.mem_mb=1500", "plan.memory_gib=2"), "grpo")["mem_mb"]
    assert [asked({}, attempt=n) for n in (1, 2)] == [1500, 2048]
    asked = resources(load("resources.grpo.mem_mb=3000", "plan.memory_gib=2"), "grpo")["mem_mb"]
    assert [asked({}, attempt=n) for n in (1, 2)] == [3000, 3000]
