import pytest
from omegaconf import DictConfig

from openswerl.config import load


@pytest.fixture
def cfg() -> DictConfig:
    """The shipped conf/curate."""
    return load().curate
