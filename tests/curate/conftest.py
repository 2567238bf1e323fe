from collections.abc import Callable
from typing import Any

import pytest
from omegaconf import OmegaConf

from openswerl.config import load
from openswerl.curate.benchmark import Benchmark
from openswerl.curate.rules import Rules
from openswerl.schema import Curate


def make_rules(preset: str = "default", **fields: Any) -> Rules:
    """The rules of a preset with some fields replaced."""
    shipped = load(f"curate={preset}").curate
    cfg: Curate = OmegaConf.to_object(OmegaConf.merge(shipped, fields))
    return Rules(cfg, Benchmark.load(cfg))


@pytest.fixture(scope="session")
def rules() -> Rules:
    """The shipped conf/curate/default.yaml."""
    return make_rules()


@pytest.fixture(scope="session")
def paper() -> Rules:
    """The shipped conf/curate/paper.yaml."""
    return make_rules("paper")


@pytest.fixture(scope="session")
def rules_with() -> Callable[..., Rules]:
    return make_rules
