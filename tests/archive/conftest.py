from pathlib import Path

import pytest


@pytest.fixture
def gharchive(data_folder: Path) -> Path:
    """The extracts of real hour files."""
    return data_folder / "gharchive"
