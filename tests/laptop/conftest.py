"""One small world for all tests of this folder."""

import pytest

from openswerl.config import Cell
from openswerl.laptop.run import run
from openswerl.stage import Job


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    cell = Cell("laptop", ("scale=smoke",))
    out = tmp_path_factory.mktemp("world")
    summary = run(Job(cell.view(), out, {}, cell.digest))
    return out, summary
