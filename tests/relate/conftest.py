import sys
from pathlib import Path

import pytest
from omegaconf import DictConfig

from openswerl.config import load

sys.path.append(str(Path(__file__).parents[1]))  # tests share helpers: crawl.world

from crawl.world import Work


@pytest.fixture
def cfg() -> DictConfig:
    """The shipped conf/relate."""
    return load().relate


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")
