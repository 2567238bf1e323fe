from pathlib import Path

import pytest

from openswerl.compose import CONF


@pytest.fixture(scope="session")
def conf() -> Path:
    return CONF
