"""Instances with one or two changed files, and a config with the values of conf/."""

import pytest

from openswerl.compose import load
from openswerl.records import Instance, SourceFile

OLD, NEW = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1  # gh-7\n"


@pytest.fixture
def one_file() -> Instance:
    return make("o__r-1", {"p/m.py": (OLD, NEW)})


@pytest.fixture
def two_files() -> Instance:
    return make("o__r-2", {"p/z.py": ("x = 1\n", "x = 2\n"), "p/a.py": ("y = 1\n", "y = 2\n")})


def make(name: str, changes: dict[str, tuple[str, str]]) -> Instance:
    return Instance(
        name, "o/r", "abc", f"{name} is wrong",
        [SourceFile(path, old) for path, (old, _) in changes.items()], [SourceFile("p/n.py", "x = 1\n")],
        [SourceFile(path, new) for path, (_, new) in changes.items()], "GOLD-CANARY",
    )  # fmt: skip


@pytest.fixture
def settings():
    """Return the composed config under overrides, small by default."""
    return lambda *overrides: load("scale=smoke", *overrides)
