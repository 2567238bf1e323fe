import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openswerl.compose import CONF

MODULE = """
from openswerl.reward import Value, Work

ANSWER = "search_replace"
INLINE = {inline}


def reward(work: Work) -> Value:
    return {value}
"""


@pytest.fixture(scope="session")
def conf() -> Path:
    return CONF


@pytest.fixture
def make_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Write a kind of one's own that gives an expression of `work`; returns its name."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    def make(name: str, value: str, *, inline: bool = False) -> str:
        (folder / f"{name}.py").write_text(MODULE.format(value=value, inline=inline))
        return f"own.{name}"

    yield make
    for module in [module for module in sys.modules if module.partition(".")[0] == "own"]:
        del sys.modules[module]
