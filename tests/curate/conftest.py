import sys
from pathlib import Path

import pytest
from omegaconf import DictConfig

from openswerl.config import load

sys.path.append(str(Path(__file__).parents[1]))  # tests share helpers: crawl.world, curate.pulls


@pytest.fixture
def cfg() -> DictConfig:
    """The shipped conf/curate."""
    return load().curate
