from pathlib import Path

import pytest
from omegaconf import DictConfig

from crawl.world import Work
from openswerl.config import load


@pytest.fixture
def cfg() -> DictConfig:
    """The shipped conf/relate."""
    return load().relate


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")
