import os
from pathlib import Path

import pytest

from crawl.asking import TOKEN
from github_server import GitHub
from servers import running


@pytest.fixture(scope="session")
def gharchive() -> Path:
    """The extracts of real hour files, with expected.json."""
    folder = os.environ.get("OPENSWERL_DATA")
    if not folder:
        pytest.skip("OPENSWERL_DATA is not set: real hour files are not tested")
    return Path(folder) / "gharchive"


@pytest.fixture(scope="session")
def real_clones() -> Path:
    """A folder of clones of repositories that expected.json names."""
    folder = os.environ.get("OPENSWERL_CLONES")
    if not folder:
        pytest.skip("OPENSWERL_CLONES is not set: real clones are not tested")
    return Path(folder)


@pytest.fixture
def token(monkeypatch) -> str:
    """A token in the environment."""
    monkeypatch.setenv("OPENSWERL_TEST_TOKEN", TOKEN)
    return TOKEN


@pytest.fixture
def github() -> GitHub:
    """What the GitHub of this machine knows."""
    return GitHub()


@pytest.fixture
def server(github, token):
    """The GitHub of this machine."""
    with running(github) as server:
        yield server
