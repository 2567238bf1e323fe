import pytest

from servers import running
from wandb_server import Wandb


@pytest.fixture
def wandb_server():
    """A stand-in for the W&B server on this machine."""
    with running() as server:
        yield Wandb(server)
