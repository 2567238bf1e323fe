"""Fixtures of the benchmark of three instances."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation_runs import Stage, TableSampler, World, build_world
from openswerl.edits import Block, render


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Read only; a test that changes rows takes `own_world`."""
    return build_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def own_world(tmp_path: Path) -> World:
    return build_world(tmp_path / "world")


@pytest.fixture
def canary_world(tmp_path: Path) -> World:
    """A world with the word CANARY in every gold field."""
    world = build_world(tmp_path / "canaries", "  # CANARY")
    for row in world.rows:
        row["eval_script"] = row["eval_script"].replace("set -ux", "# CANARY\nset -ux")
        row["hints_text"] = row["image"] = row["created_at"] = row["version"] = "CANARY"
    world.write()
    return world


@pytest.fixture
def edit() -> Callable[[str, str, str], str]:
    """Return a well-formed answer that replaces one text in one file."""
    return lambda path, search, replace: render("a thought", [Block(path, search, replace)])


@pytest.fixture
def table() -> type[TableSampler]:
    return TableSampler


@pytest.fixture
def stage(tmp_path: Path, world: World) -> Stage:
    return Stage(tmp_path / "run", world)
