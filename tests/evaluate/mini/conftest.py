"""Agentless Mini on the tiny benchmark."""

from pathlib import Path
from typing import Any

import pytest

from mini_runs import MiniRun, ScriptedSampler


@pytest.fixture
def mini(tmp_path: Path, world: Any) -> MiniRun:
    return MiniRun(tmp_path, world.laptop)


@pytest.fixture
def scripted() -> type[ScriptedSampler]:
    return ScriptedSampler
