import os
from pathlib import Path

import pytest


@pytest.fixture
def gharchive() -> Path:
    """The extracts of real hour files, with expected.json."""
    folder = os.environ.get("OPENSWERL_DATA")
    if not folder:
        pytest.skip("OPENSWERL_DATA is not set: real hour files are not tested")
    return Path(folder) / "gharchive"


@pytest.fixture
def real_clones() -> Path:
    """A folder of clones of repositories that expected.json names."""
    folder = os.environ.get("OPENSWERL_CLONES")
    if not folder:
        pytest.skip("OPENSWERL_CLONES is not set: real clones are not tested")
    return Path(folder)
