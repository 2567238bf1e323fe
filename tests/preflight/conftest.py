"""Samples made by hand, and the config of the stage."""

import pytest

from openswerl.config import Cell
from openswerl.preflight.sampling import Sample
from training_fixtures import good, instance, tasks  # noqa: F401


@pytest.fixture(scope="session")
def config():
    return lambda *overrides: Cell("preflight", overrides).view()


@pytest.fixture
def rules(config):
    return config().preflight.rules


def sample_of(reward, reason=None, name="a", number=0, finish="stop", output="", tokens=10):
    return Sample(name, number, 1.0, reward, reason, tokens, 100, finish, output)
