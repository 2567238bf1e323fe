from pathlib import Path

import pytest

from evaluation_runs import Stage, World, build_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Read only."""
    return build_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def stage(tmp_path: Path, world: World) -> Stage:
    return Stage(tmp_path / "run", world)
