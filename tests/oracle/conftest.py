"""TRL's libraries set a launcher's variables, which the tests that follow in this process would take for theirs."""

import os

import pytest


@pytest.fixture(autouse=True)
def environment():
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
