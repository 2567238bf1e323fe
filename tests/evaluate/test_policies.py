from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.evaluate.policies import checkpoint
from openswerl.models.checkpoint import base_checkpoint

FOLDERS = {"laptop": Path("l"), "evaluate-gold-seed0": Path("g"), "evaluate-none-seed0": Path("n")}


def _cfg(policy: str) -> Any:
    return OmegaConf.create({"policy": policy, "model": {"path": None}})


def test_base_is_the_starting_point_and_others_are_what_training_wrote() -> None:
    assert checkpoint(_cfg("base"), FOLDERS) == base_checkpoint(_cfg("base").model)
    for name in ("sft-paper-seed0", "grpo-discrete-seed1"):
        assert checkpoint(_cfg("any"), {**FOLDERS, name: Path("trained")}) == Path("trained/policy")


def test_a_missing_or_double_policy_is_refused() -> None:
    with pytest.raises(UserError, match="needs one trained policy among the inputs, not 0"):
        checkpoint(_cfg("sft"), FOLDERS)
    with pytest.raises(UserError, match="not 2"):
        checkpoint(_cfg("sft"), {**FOLDERS, "sft-paper-seed0": Path("a"), "grpo-x-seed0": Path("b")})
