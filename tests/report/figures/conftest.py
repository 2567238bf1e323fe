from types import SimpleNamespace

import pytest

from openswerl.report.figures.captions import Setting


@pytest.fixture
def setting() -> Setting:
    """A laptop run of two splits."""
    splits = {"gate": 8, "templates": 4}
    settings = SimpleNamespace(splits=splits, confidence=0.95, resamples=4000, bootstrap_seed=0, benchmark="laptop")
    short = "laptop scale: not comparable"
    return Setting(short, short.capitalize(), "bubblewrap", "bubblewrap; regression tests: honest", settings)
