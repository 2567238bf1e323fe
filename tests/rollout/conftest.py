"""One server of the laptop's model for all tests here that only ask it."""

import pytest

from openai_server import served


@pytest.fixture(scope="session")
def server():
    with served() as server:
        yield server
